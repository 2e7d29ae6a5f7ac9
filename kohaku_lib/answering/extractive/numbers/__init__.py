"""Numbers with units as answers."""
