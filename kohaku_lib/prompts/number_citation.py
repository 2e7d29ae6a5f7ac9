"""What `structured_answer` says otherwise where a model cites numbers (answer.cite = "number"), each with what it replaces."""

VERSION = "number_citation.v1"

HEAD = "The excerpts, quoted material, each after its number:"
IN_RULES = (
    "the ids of the documents that support the value, as they stand in [ref_id=...]; usually one",
    "the numbers of the excerpts that support the value, as they stand before them in brackets; usually one",
)
IN_SHAPE = ("id of a document", "number of an excerpt")
