"""Markdown and plain text to payloads."""
