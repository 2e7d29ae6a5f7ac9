"""Sentences that give a number for one thing and none for another: "four in the north and none in the south"."""

from __future__ import annotations

import re

from kohaku_lib.answering.extractive.text import tokens_of


def is_nought_asked(question: str, sentence: str) -> bool:
    """Return whether a question speaks of the thing that a sentence has none of, and not of the one that it has some of.

    Compared are the words by which the two differ.

    >>> text = "There were 12 thefts in the old wing and none in the new wing."
    >>> [is_nought_asked(f"How many thefts did the {wing} wing see?", text) for wing in ("new", "old")]
    [True, False]
    """
    match = _CONTRAST.search(sentence)
    if match is None:
        return False
    some, none = _words(match["some"]), _words(match["none"])
    asked = _words(question)
    return bool(none - some) and none - some <= asked and not some - none <= asked


_PLACE = r"(?:in|on|at|from|for|of|by|during|to|im|am|auf|bei|aus|von|für)"
_CONTRAST = re.compile(
    rf"\b(?P<some>{_PLACE}\s[^.;]+?)(?:,| and| but| und| aber)\s+(?:and |but |und |aber )?"
    rf"(?:none|nothing|nobody|no one|keine[rsn]?|nichts|niemand)\b[^.;]*?\b(?P<none>{_PLACE}\s[^.;,]+)",
    re.IGNORECASE,
)


def _words(text: str) -> set[str]:
    return {token.stem for token in tokens_of(text)} - _GENERAL


_GENERAL = frozenset(
    token.stem for token in tokens_of("in on at from for of by during to the a im am auf bei der die das")
)
