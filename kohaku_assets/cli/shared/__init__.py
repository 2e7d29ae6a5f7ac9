"""What verbs share: options, tables, text that is safe for a terminal."""
