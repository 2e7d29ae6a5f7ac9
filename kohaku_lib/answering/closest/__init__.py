"""The passage of a context that answers a question, whether or not a value can be read from it."""
