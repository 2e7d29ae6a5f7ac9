"""Caches on disk: rows by content key, file hashes, small JSON files."""
