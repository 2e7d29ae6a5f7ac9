"""The table of stages, their settings, staleness, and a run over a project."""
