"""Verbs of the server and of what its users asked."""
