"""Paragraphs that are whole pages, cut into sections and real paragraphs."""
