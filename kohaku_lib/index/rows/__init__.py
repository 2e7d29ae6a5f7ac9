"""Row access and lookup for writing and reading snapshots."""
