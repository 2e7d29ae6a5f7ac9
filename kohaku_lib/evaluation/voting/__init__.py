"""Ensembles: several runs to one answer per question."""
