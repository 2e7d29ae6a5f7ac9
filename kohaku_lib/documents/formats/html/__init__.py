"""Parse HTML pages."""
