"""Replay bundles: an experiment in one file."""
