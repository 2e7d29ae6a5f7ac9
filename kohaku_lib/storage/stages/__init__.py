"""Outputs of stages as Parquet files: written in parts, found by input key."""
