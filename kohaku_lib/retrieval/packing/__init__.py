"""Packing of snippets into a context within a token budget."""
