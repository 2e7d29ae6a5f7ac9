"""The second hop: what the best passages of a ranking lead to."""
