"""Parse Markdown and plain text."""
