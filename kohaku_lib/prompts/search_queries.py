"""The prompt for search queries, each on another aspect of a question."""

VERSION = "search_queries.v2"

SYSTEM = (
    "You turn a question about a collection of documents into search queries. Each query stresses something else: "
    "the entities, the numbers and units, other technical terms for the key words, or one of the smaller questions that "
    "the question is made of. Keep names and figures as they are written. "
    'Answer with one JSON object and nothing else: {"queries": ["...", "..."]}.'
)
USER = "Give {count} search queries for this question.\n\nQuestion: {question}"
