"""Sentences and table rows that may contain the answer."""
