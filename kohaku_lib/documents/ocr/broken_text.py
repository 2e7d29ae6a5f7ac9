"""Detect broken text layers, whose characters differ from those on the page, in any language."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from itertools import pairwise

# Letter bigrams that are frequent in Latin-script languages. They make up 65 to 90 % of the bigrams in texts of twenty
# such languages, and 10 to 50 % in texts with substituted letters.
_FREQUENT_AFTER = {
    "a": "acdgilmnoprstuvwy",
    "b": "eioru",
    "c": "acehiorz",
    "d": "adeioz",
    "e": "acdeijlmnprstuvx",
    "f": "afior",
    "g": "aehinoruy",
    "h": "aeiotu",
    "i": "cdefgjlmnostv",
    "j": "ao",
    "k": "aeiostu",
    "l": "adeilouw",
    "m": "aeimopu",
    "n": "acdegilostu",
    "o": "bcfglmnoprstuw",
    "p": "aeilopr",
    "q": "u",
    "r": "adehinosz",
    "s": "aceikostuz",
    "t": "aehiorstuy",
    "u": "beiklnrst",
    "v": "aeio",
    "w": "aehinry",
    "y": "admnor",
    "z": "a",
}
_NO_LETTER = re.compile(r"[^a-z ]+")
_WORD = re.compile(r"(?<!\w)[^\W\d_]{3,}(?!\w)")
_GLYPH_NUMBER = re.compile(r"\(cid:\d+\)")
_UNREADABLE = frozenset({"Co", "Cn", "Cs", "Cc"})  # private use, unassigned, surrogates, control characters
_UNREADABLE_SHARE = 0.3
_LEAST_CHARACTERS = 20
_LEAST_PAIRS = 80
_LEAST_PAIRS_CAPITALS = 200
_FREQUENT_SHARE, _FREQUENT_SHARE_CAPITALS = 0.55, 0.35


def is_broken_text(text: str) -> bool:
    """Return whether a text layer is unusable: unmapped characters, glyph numbers or substituted letters.

    Non-Latin scripts and texts with few words, such as tables and formulas, are not checked for substitution. Words in
    capitals have a lower threshold, since codes and abbreviations are not natural language.

    >>> is_broken_text("Proceedings of the meeting of the society for the study of language " * 2)
    False
    >>> is_broken_text("Oqnbddchmfr ne sgd lddshmf ne sgd rnbhdsx enq sgd rstcx ne kzmftzfd " * 2)
    True
    """
    if _unreadable_share(text) > _UNREADABLE_SHARE:
        return True
    words = _WORD.findall(text)
    share, pairs = _frequent_bigram_share(word for word in words if not word.isupper())
    if pairs >= _LEAST_PAIRS:
        return share < _FREQUENT_SHARE
    share, pairs = _frequent_bigram_share(words)
    return pairs >= _LEAST_PAIRS_CAPITALS and share < _FREQUENT_SHARE_CAPITALS


def _unreadable_share(text: str) -> float:
    """Return the share of unreadable non-space characters; 0 for a text of fewer than 20."""
    counts = Counter("".join(_GLYPH_NUMBER.sub("\ufffd", text).split()))
    if (total := counts.total()) < _LEAST_CHARACTERS:
        return 0.0
    return sum(count for character, count in counts.items() if _is_unreadable(character)) / total


def _is_unreadable(character: str) -> bool:
    return character == "\ufffd" or unicodedata.category(character) in _UNREADABLE


def _frequent_bigram_share(words: Iterable[str]) -> tuple[float, int]:
    """Return the share of frequent bigrams among the Latin letter bigrams in `words`, and the number of bigrams."""
    letters = _NO_LETTER.sub("", unicodedata.normalize("NFD", " ".join(words).lower()))
    counts = Counter(pairwise(letters))
    total = sum(count for (a, b), count in counts.items() if a != " " and b != " ")
    frequent = sum(count for (a, b), count in counts.items() if b in _FREQUENT_AFTER.get(a, ""))
    return (frequent / total if total else 1.0), total
