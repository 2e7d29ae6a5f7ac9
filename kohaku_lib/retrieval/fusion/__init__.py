"""Search results of several channels and queries to one ranking."""
