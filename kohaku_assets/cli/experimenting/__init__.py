"""Verbs that run, record and rank experiments."""
