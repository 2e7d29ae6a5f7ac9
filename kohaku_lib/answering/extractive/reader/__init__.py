"""A small model that reads: it finds the answer to a question in a passage, or that the passage has none."""
