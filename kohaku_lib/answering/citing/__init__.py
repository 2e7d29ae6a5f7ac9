"""Verification of quotes and references against the cited documents."""
