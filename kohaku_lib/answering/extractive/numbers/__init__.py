"""Finder for numbers with units."""
