"""Names and terms as answers."""
