"""Finds the texts that repeat an earlier one."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import regex

from kohaku_lib.text.tokens import WORD

_SIGN = r"[+\-−±<>=≤≥≈~%‰°€$£¥§]"
_WORD_OR_SIGN = regex.compile(rf"(?V1){WORD.pattern}|{_SIGN}")


def near_copies(texts: Sequence[str]) -> dict[int, int]:
    r"""Return the positions of texts that repeat an earlier one, each with the position of the first such text.

    Layout, punctuation and capitals do not count. Every word and sign does, as the passage of another year, place or version
    states another fact in nearly the same words. A text without words repeats none.

    >>> near_copies(["The limit is 40 EUR.", "the limit is\n40 EUR", "The limit is 25 EUR.", "The limit is -40 EUR!"])
    {1: 0}
    """
    first_by_words: dict[tuple[str, ...], int] = {}
    first_of: dict[int, int] = {}
    for place, text in enumerate(texts):
        words = _words(text)
        first = first_by_words.setdefault(words, place)
        if first != place and words:
            first_of[place] = first
    return first_of


@lru_cache(maxsize=4096)
def _words(text: str) -> tuple[str, ...]:
    return tuple(found[0].casefold() for found in _WORD_OR_SIGN.finditer(text))
