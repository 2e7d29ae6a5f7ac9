"""Builds what the settings ask for: indexes, retrievers, chat models, answerers."""
