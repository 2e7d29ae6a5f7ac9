"""Backups of a store in a folder or a bucket: incremental, checked, and consistent while a run writes."""
