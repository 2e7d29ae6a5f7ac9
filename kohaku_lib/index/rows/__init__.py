"""Rows of tables while a snapshot is written or read."""
