"""Immutable index versions: written, checked, published, opened, pruned."""
