"""The channels of a search: each finds nodes for a query in its own way, one to a file."""
