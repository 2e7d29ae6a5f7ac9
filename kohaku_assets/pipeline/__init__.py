"""The map of stages, their settings, staleness, and one run over a project."""
