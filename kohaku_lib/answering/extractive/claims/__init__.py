"""Yes or no: whether the snippets support a claim."""
