"""Metrics of answers and of retrieval."""
