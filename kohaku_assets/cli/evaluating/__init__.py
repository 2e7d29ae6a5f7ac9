"""Verbs that write files of answers and measure them."""
