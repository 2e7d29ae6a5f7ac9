"""Distinguish the values before and after a change."""

from __future__ import annotations

import re
from typing import Literal

from kohaku_lib.answering.extractive.numbers.quantities import Quantity

End = Literal["first", "second", ""]


def end_of(text: str, quantity: Quantity, others: tuple[Quantity, ...]) -> End:
    """Return which end of a change `quantity` is in `text`: "first" after "from", "second" after the matching "to".

    A word such as "before" or "afterwards" after the number in its clause has the same effect.

    >>> from kohaku_lib.answering.extractive.numbers.quantities import quantities_in
    >>> text = "It fell from 1.62 to 1.18, and rested at 2 W before."
    >>> [end_of(text, quantity, quantities_in(text)) for quantity in quantities_in(text)]
    ['first', 'second', 'first']
    """
    if quantity.is_range:
        return ""
    before = text[: quantity.start].rstrip("~≈$€£ ")
    if _FROM.search(before):
        return "first"
    if _TO.search(before) and any(_starts_change(text, other, quantity) for other in others):
        return "second"
    return _end_by_following_word(text, quantity, others)


_FROM = re.compile(r"\bfrom(?: (?:about|around|roughly|approximately|nearly|over))?$", re.IGNORECASE)
_TO = re.compile(r"\bto(?: (?:about|around|roughly|approximately|nearly|over|just|only))?$", re.IGNORECASE)
_AFTER_WORD = re.compile(r"\b(?:after|afterwards|later)\b", re.IGNORECASE)
_BEFORE_WORD = re.compile(r"\b(?:before|beforehand|originally|initially|previously)\b", re.IGNORECASE)
_CLAUSE_END = re.compile(r"[,;.(](?=\s|$)|\b(?:to|and|but)\b")
_MAX_CHANGE_CHARS = 90  # characters between the two ends


def _starts_change(text: str, other: Quantity, quantity: Quantity) -> bool:
    if not other.end <= quantity.start <= other.end + _MAX_CHANGE_CHARS:
        return False
    return _FROM.search(text[: other.start].rstrip("~≈$€£ ")) is not None


def _end_by_following_word(text: str, quantity: Quantity, others: tuple[Quantity, ...]) -> End:
    limit = min((other.start for other in others if other.start >= quantity.end), default=len(text))
    clause = _CLAUSE_END.split(text[quantity.end : limit], maxsplit=1)[0]
    if _BEFORE_WORD.search(clause):
        return "first"
    return "second" if _AFTER_WORD.search(clause) else ""
