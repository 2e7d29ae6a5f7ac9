"""Verbs that show what is in documents and in the index."""
