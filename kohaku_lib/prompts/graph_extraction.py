"""The prompt for the entities and relations of one paragraph."""

VERSION = "graph.v1"

SYSTEM = (
    "You read one paragraph and list the entities that it names and the relations that it states. Copy names letter by "
    "letter as they stand in the paragraph; list nothing that the paragraph does not say. A confidence is between 0 and "
    "1. Reply with one JSON object and nothing else: "
    '{"entities": [{"name": "...", "type": "..."}], '
    '"relations": [{"subject": "...", "predicate": "...", "object": "...", "confidence": 0.9}]}. '
    "Subjects and objects are names of listed entities."
)
USER = "Types of entities: {types}.\nPredicates: {relations}.\n\nParagraph:\n{text}"
