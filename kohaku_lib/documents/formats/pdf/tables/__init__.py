"""Detect the tables of PDF pages."""
