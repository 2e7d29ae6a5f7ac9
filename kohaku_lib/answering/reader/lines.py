"""Telling rows of plain-text tables from prose, and finding the header above a row."""

from __future__ import annotations

from collections.abc import Sequence


def is_row(text: str) -> bool:
    """Say whether a line reads like a row of a table: cells between bars, or many numbers among few words.

    >>> is_row("LLaMA-33B 64.7 GB 60 6656 1"), is_row("It was trained on 8 GPUs for 12 hours in all.")
    (True, False)
    """
    if text.count("|") >= 2:
        return True
    words = text.split()
    numeric = sum(word[0] in "0123456789$<~±-(" and any(sign.isdigit() for sign in word) for word in words)
    return numeric >= 2 and numeric * 10 >= len(words) * 3 and text[-1] not in ".!?"


def header_of(lines: Sequence[str], place: int) -> str:
    """Return the lines above row `place` that are no rows themselves, the nearest four, joined by a blank."""
    first = place
    while first > 0 and is_row(lines[first]):
        first -= 1
    head = [line for line in lines[max(0, first - 3) : first + 1] if not is_row(line) and len(line) < _LONGEST_HEADER]
    return " ".join(head[-1:]) if head and "|" in head[-1] else " ".join(head)


_LONGEST_HEADER = 200
