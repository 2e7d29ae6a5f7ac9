"""Tell rows of tables in plain text from prose."""

from __future__ import annotations


def is_row(text: str) -> bool:
    """Return whether a line looks like a table row: cells between bars, or many numbers among few words.

    >>> is_row("LLaMA-33B 64.7 GB 60 6656 1"), is_row("It was trained on 8 GPUs for 12 hours in all.")
    (True, False)
    """
    if has_bars(text):
        return True
    words = text.split()
    numeric = sum(word[0] in "0123456789$<~±-(" and any(sign.isdigit() for sign in word) for word in words)
    return numeric >= 2 and numeric * 10 >= len(words) * 3 and text[-1] not in ".!?"


def has_bars(text: str) -> bool:
    """Return whether `text` has cells between bars."""
    return text.count("|") >= 2
