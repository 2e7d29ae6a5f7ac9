"""Finds the texts that repeat an earlier one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache

from kohaku_lib.text.tokens import WORD

_SHINGLE = 3  # words
_LEAST_SHARED = 0.9  # of the shingles of both texts
# Words that turn a statement into its opposite.
_NEGATIONS = frozenset(
    {"no", "not", "never", "none", "nor", "neither", "without", "cannot"}
    | {"nicht", "kein", "keine", "keinen", "keiner", "keines", "nie", "ohne"}
)


def near_copies(texts: Sequence[str]) -> dict[int, int]:
    """Return the positions of texts that nearly repeat an earlier one, each with the position of the first such text.

    Two texts nearly repeat each other if the Jaccard index of their shingles of three words is at least 0.9, and if they
    have the same numbers, the same words with a capital letter and the same negations: the passage of another year, place or
    version states another fact in nearly the same words. A text without words is no copy.

    >>> near_copies(["The limit is 40 EUR.", "the limit is 40 EUR", "The limit is 25 EUR.", "The limit is 40 EUR!"])
    {3: 0}
    """
    firsts_by_mark: defaultdict[frozenset[str], list[int]] = defaultdict(list)
    first_of: dict[int, int] = {}
    for place, text in enumerate(texts):
        marks, shingles = _fingerprint(text)
        firsts = firsts_by_mark[marks]
        first = next((one for one in firsts if _shared(shingles, _fingerprint(texts[one])[1]) >= _LEAST_SHARED), None)
        if first is None:
            firsts.append(place)
        else:
            first_of[place] = first
    return first_of


@lru_cache(maxsize=4096)
def _fingerprint(text: str) -> tuple[frozenset[str], frozenset[tuple[str, ...]]]:
    """Return the words that must be the same in a copy, and the shingles of all words in lower case."""
    words = [found[0] for found in WORD.finditer(text)]
    marks = frozenset(word for word in words if word.lower() in _NEGATIONS or word != word.lower() or word[0].isdigit())
    plain = [word.lower() for word in words]
    count = max(len(plain) - _SHINGLE + 1, min(len(plain), 1))
    return marks, frozenset(tuple(plain[at : at + _SHINGLE]) for at in range(count))


def _shared(first: frozenset[tuple[str, ...]], second: frozenset[tuple[str, ...]]) -> float:
    return len(first & second) / (len(first | second) or 1)
