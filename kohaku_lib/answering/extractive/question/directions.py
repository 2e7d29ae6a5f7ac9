"""The extreme (highest, lowest, first, last) that a question asks for."""

from __future__ import annotations

import re
from typing import Literal

Direction = Literal["high", "low", "first", "last", ""]


def direction_of(text: str) -> Direction:
    """Return the extreme that the question asks for; "" if it asks for none or for one that numbers cannot decide.

    >>> [direction_of(f"Which is {word}, A or B?") for word in ("taller", "older", "fewer", "younger", "greener")]
    ['high', 'first', 'low', 'last', '']
    """
    found: list[Direction] = [name for name, pattern in _DIRECTIONS if pattern.search(text)]
    if len(found) != 1 or _EFFICIENT.search(text):
        return ""
    return found[0]


_DIRECTIONS: tuple[tuple[Direction, re.Pattern[str]], ...] = (
    ("first", re.compile(r"\b(?:earlie(?:r|st)|first|older|oldest|sooner)\b", re.IGNORECASE)),
    ("last", re.compile(r"\b(?:later|latest|younger|youngest|newe(?:r|st)|last|most recent(?:ly)?)\b", re.IGNORECASE)),
    (
        "high",
        re.compile(
            r"\b(?:highe(?:r|st)|most(?! recent)|more|large(?:r|st)|great(?:er|est)|bigge(?:r|st)|long(?:er|est)|"
            r"talle(?:r|st))\b",
            re.IGNORECASE,
        ),
    ),
    (
        "low",
        re.compile(
            r"\b(?:lowe(?:r|st)|least|less|smalle(?:r|st)|fewe(?:r|st)|short(?:er|est)|cheape(?:r|st))\b", re.IGNORECASE
        ),
    ),
)
_EFFICIENT = re.compile(
    r"\b(?:most|least|more|less) (?!recent|energy\b|power\b|electricity\b|water\b)\w+(?:ly|ent|ive|al|ble)\b"
)
