"""Ranked nodes to snippets: expanded, rescored, filtered."""
