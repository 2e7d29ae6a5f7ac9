"""Metrics of retrieval, a file per kind."""
