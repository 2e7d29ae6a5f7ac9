"""Verbs of the store: versions, calls, damage, backup."""
