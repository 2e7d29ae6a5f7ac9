"""Parse HTML pages and e-books."""
