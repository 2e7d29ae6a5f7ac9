"""Question analysis."""
