"""Sentences and table rows that may answer a question."""
