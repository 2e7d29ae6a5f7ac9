"""Quotes and references checked against the cited documents."""
