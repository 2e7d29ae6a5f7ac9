"""The Dagster assets of the stages."""
