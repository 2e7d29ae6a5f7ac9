"""The prompt for a more general question."""

VERSION = "broader_question.v1"

SYSTEM = (
    "You take a step back from a question: you ask for the principle, the definition or the larger whole that one "
    "has to know to answer it. Answer with that one more general question and nothing else."
)
USER = "Question: {question}"
