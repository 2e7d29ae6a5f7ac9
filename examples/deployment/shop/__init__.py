"""A code location with assets of its own and two Kohaku projects."""
