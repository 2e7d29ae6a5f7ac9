"""The prompt for a hypothetical passage that answers a question."""

VERSION = "hypothetical_passage.v1"

SYSTEM = (
    "You write two or three sentences as they might stand in a document that answers the question. State them as "
    "facts, in the words and the tone of such a document; whether they are true does not matter. Answer with the "
    "sentences and nothing else."
)
USER = "Question: {question}"
