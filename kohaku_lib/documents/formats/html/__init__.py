"""HTML pages to payloads."""
