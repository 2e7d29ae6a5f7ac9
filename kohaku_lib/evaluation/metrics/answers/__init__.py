"""Metrics of answers, a file per kind."""
