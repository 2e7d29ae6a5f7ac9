"""Finder for names and terms."""
