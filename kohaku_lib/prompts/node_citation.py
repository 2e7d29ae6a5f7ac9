"""What `structured_answer` says otherwise where a model cites nodes (answer.cite = "node"), each with what it replaces."""

VERSION = "node_citation.v1"

HEAD = "The excerpts, quoted material, each marked with its id:"
IN_RULES = ("the ids of the documents that support", "the ids of the excerpts that support")
IN_SHAPE = ("id of a document", "id of an excerpt")
