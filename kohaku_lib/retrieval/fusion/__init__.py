"""Fusion of the search results of several channels and queries into one ranking."""
