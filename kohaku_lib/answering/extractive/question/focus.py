"""The thing that a question asks for."""

from __future__ import annotations

import re

from kohaku_lib.answering.extractive.text import content_stems, term_of
from kohaku_lib.text.word_lists import words


def focus_stems(text: str) -> tuple[str, ...]:
    """Return the stems of the requested thing: the words after "what", "which" or "who is the" up to the verb.

    >>> focus_stems("What is the name of the benchmark suite presented in 2025?")
    ('benchmark', 'suit')
    """
    return tuple(stem for stem in content_stems(" ".join(_focus_words(text))) if stem not in _PHRASING)


_FOCUS = re.compile(
    r"\b(?:what|which)\s+(?:(?:is|are|was|were)\s+(?:the\s+)?)?(?:(?:full\s+)?(?:name|term|title|type|kind|acronym)\s+"
    r"(?:of|for|given to|used for)\s+)?(?:the\s+|a\s+|an\s+|this\s+)?(?=\w)",
    re.IGNORECASE,
)
_WHO_IS = re.compile(r"\bwho\s+(?:is|are|was|were)\s+(?:the\s+|a\s+|an\s+)(?=\w)", re.IGNORECASE)
_WORD = re.compile(r"[\s\"“]*([\w’'.-]*\w)(?=(.?))", re.DOTALL)
_PHRASE_ENDS = words(
    """of in for to from is are was were did do does has have had can could by with that which who whose where on at as
    would should will during and or when than into about under between among after before through against"""
)
_ENDS = re.compile(r"[a-z-]+(?:ed|ing)$")
_MAX_WORDS = 6
_PLURALS = ("ss", "us", "is")
_PHRASING = frozenset(
    map(
        term_of,
        words(
            """approximate approximately roughly estimated estimate according recent recently paper study report reported
            name called term number amount total value percentage percent many following given based compared observed
            average authors typical typically share describe described present presented article state stated mention
            mentioned indicate indicated provide include list example case result results find found show shown
            difference ratio year projected range lie last occur happen
            fy fiscal originally initially afterwards finally eventually expected one two specific specifically"""
        ),
    )
)


def _focus_words(text: str) -> list[str]:
    match = _FOCUS.search(text) or _WHO_IS.search(text)
    return _until_verb(text[match.end() :]) if match else []


def _until_verb(text: str) -> list[str]:
    """Return the words of `text` up to the end of the noun phrase."""
    found: list[str] = []
    for match in _WORD.finditer(text):
        word = match.group(1)
        if word.lower() in _PHRASE_ENDS:
            return found
        if found and (_ENDS.match(word) or _is_verb(word, found[-1], text[match.end() :])):
            return found
        found.append(word)
        if len(found) == _MAX_WORDS or match.group(2) in {"?", ",", ":", ";", ")"}:
            return found
    return found


def _is_verb(word: str, before: str, rest: str) -> bool:
    """Return whether `word` is a verb in -s: "which state borders Ohio", not "which sports teams are"."""
    if not word.endswith("s") or word.endswith(_PLURALS) or not word.islower() or before.endswith("s"):
        return False
    following = _WORD.match(rest)
    return following is not None and following.group(1).lower() not in {
        "is",
        "are",
        "was",
        "were",
        "did",
        "do",
        "does",
        "has",
        "have",
        "had",
    }
