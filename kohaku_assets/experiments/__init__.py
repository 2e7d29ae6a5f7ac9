"""Sweeps: their cells, runs and reports."""
