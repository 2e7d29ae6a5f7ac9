"""Kohaku projects within a Dagster deployment that has assets of its own."""
