"""Parsers, one folder per family of formats."""
