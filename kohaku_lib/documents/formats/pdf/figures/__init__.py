"""Detect and extract the figures of PDF pages and their captions."""
