"""Experiments: what a run took, what it answered, and how runs compare."""
