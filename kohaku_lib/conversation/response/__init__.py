"""Responses: content with numbered sources, their confidence, whether they suffice, and suggested questions."""
