"""Finder for yes/no claims."""
