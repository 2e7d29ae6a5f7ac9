"""Verbs that ask the published index."""
