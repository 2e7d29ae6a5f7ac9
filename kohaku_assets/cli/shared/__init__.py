"""Shared by the verbs: options, tables, terminal-safe text."""
