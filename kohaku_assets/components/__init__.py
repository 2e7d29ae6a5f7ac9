"""Builders of the components that the settings select: indexes, chat models, the Dagster instance."""
