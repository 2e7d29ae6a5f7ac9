"""Distinguish plain-text table rows from prose, and find the header of a row."""

from __future__ import annotations

import re
from collections.abc import Sequence


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


def header_of(lines: Sequence[str], place: int) -> str:
    """Return the non-row lines above row `place`, up to four, one per line.

    For a row between bars: the caption and the first line of the block of bars; "" for that first line itself.

    >>> header_of(["Table 1: Runs.", "| Model | Hours |", "| Rho-S | 12 |"], 2)
    'Table 1: Runs. | Model | Hours |'
    """
    if has_bars(lines[place]):
        return _header_of_bars(lines, place)
    first = place
    while first > 0 and _is_data(lines[first]):
        first -= 1
    head = [
        line for line in lines[max(0, first - 3) : first + 1] if not _is_data(line) and len(line) < _MAX_HEADER_CHARS
    ]
    head = [line.replace("\n", " ") for line in head]
    return head[-1] if head and "|" in head[-1] else "\n".join(head)


def has_bars(text: str) -> bool:
    """Return whether `text` has cells between bars."""
    return text.count("|") >= 2


def is_caption(line: str) -> bool:
    """Return whether a line is a caption rather than column headings.

    >>> is_caption("Table 3: Models."), is_caption("Model Hours")
    (True, False)
    """
    return bool(_CAPTION.match(line)) or line.endswith((".", ":"))


def _is_data(line: str) -> bool:
    """Return whether a line is a row of amounts rather than of years."""
    if not is_row(line):
        return False
    numbers = [word for word in line.split() if word[0].isdigit()]
    return len(numbers) < 2 or not all(_YEAR.fullmatch(word) for word in numbers)


def _header_of_bars(lines: Sequence[str], place: int) -> str:
    first = place
    while first > 0 and has_bars(lines[first - 1]):
        first -= 1
    caption = [lines[first - 1]] if first > 0 and len(lines[first - 1]) < _MAX_HEADER_CHARS else []
    return " ".join([*caption, lines[first]]) if first < place else ""


_MAX_HEADER_CHARS = 200
_CAPTION = re.compile(r"(?:Table|Figure|Fig\.?)\s*\w+", re.IGNORECASE)
_YEAR = re.compile(r"(?:FY)?(?:19|20)\d{2}")
