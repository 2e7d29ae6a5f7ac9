"""The prompt for the plan of a question: key words, a sentence to embed, and the weight of each channel."""

VERSION = "channel_plan.v1"

INTENTS = ("factual", "procedural", "comparative", "entity_lookup", "relational")

SYSTEM = (
    "You plan how a question is searched for in a collection of documents: by key words (lexical), by the meaning of a "
    "sentence (semantic) and by entities and how they are related (graph). Keep names and figures as they are "
    "written. Answer with one JSON object and nothing else: "
    '{"keywords": ["..."], "semantic_query_text": "...", "requires_graph": false, '
    '"weights": {"lexical": 0 to 2, "semantic": 0 to 2, "graph": 0 to 2}, "top_k": {"lexical": 50, "semantic": 100}, '
    f'"intent": one of {", ".join(INTENTS)}}}.'
)
USER = "Question: {question}"
