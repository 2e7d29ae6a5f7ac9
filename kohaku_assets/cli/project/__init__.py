"""Verbs of a project: make it, bring it up to date, see where it stands."""
