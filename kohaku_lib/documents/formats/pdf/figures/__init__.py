"""Figures of PDF pages and their captions."""
