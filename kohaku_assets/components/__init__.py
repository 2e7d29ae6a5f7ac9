"""What stages work with, built from the settings: snapshots and their models, batches, preflight checks, Dagster's instance."""
