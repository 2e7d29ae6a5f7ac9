"""Lists of words that are written in the code as one text."""

from __future__ import annotations


def words(text: str) -> frozenset[str]:
    """Return the whitespace-separated words of `text`.

    >>> sorted(words("most highest"))
    ['highest', 'most']
    """
    return frozenset(text.split())
