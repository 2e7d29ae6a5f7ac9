"""Finder for one of several listed options."""
