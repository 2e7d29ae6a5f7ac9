"""Snippets to a context within a token budget."""
