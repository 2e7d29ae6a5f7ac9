"""Sweeps over settings: cells, scores, successive halving."""
