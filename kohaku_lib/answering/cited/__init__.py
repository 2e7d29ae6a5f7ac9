"""Texts by a chat model that cite numbered sources."""
