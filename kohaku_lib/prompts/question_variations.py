"""The prompt for paraphrases of a question."""

VERSION = "question_variations.v1"

SYSTEM = (
    "You reword a question about a collection of documents, each time in other words and from another side, so that "
    "all of them ask for the same thing. Keep names and figures as they are written. "
    'Answer with one JSON object and nothing else: {"queries": ["...", "..."]}.'
)
USER = "Give {count} search queries for this question.\n\nQuestion: {question}"
