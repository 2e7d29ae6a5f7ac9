"""What a question for a name asks for: the word for the thing, and what kind of thing it is."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from kohaku_lib.answering.extractive.evidence.evidence import PHRASING
from kohaku_lib.answering.extractive.text import content_stems, words

Sort = Literal["person", "place", "country", "state", "term", ""]


@dataclass(frozen=True, slots=True)
class Focus:
    """The stems of the asked thing, its head last, and the sort of name that fits."""

    stems: tuple[str, ...]
    sort: Sort

    @property
    def head(self) -> str:
        """Return the stem of the word for the asked thing, "" where the question has none."""
        return self.stems[-1] if self.stems else ""


@lru_cache(maxsize=1024)
def focus_of(text: str) -> Focus:
    """Return what the question `text` asks for.

    >>> focus_of("Which Canadian rock band released it?")
    Focus(stems=('canadian', 'rock', 'band'), sort='')
    >>> focus_of("Who was the first president of the society?")
    Focus(stems=('first', 'presid'), sort='person')
    """
    return Focus(focus_stems(text), _sort(text, _focus_words(text)))


def focus_stems(text: str) -> tuple[str, ...]:
    """Return the stems of what is asked for: the words after "what", "which" or "who is the" up to the verb.

    >>> focus_stems("What is the name of the benchmark suite presented in 2025?")
    ('benchmark', 'suit')
    """
    return tuple(stem for stem in content_stems(" ".join(_focus_words(text))) if stem not in PHRASING)


_WHICH = re.compile(r"\b(?:what|which)\b", re.IGNORECASE)
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
_MOST_WORDS = 6
_PLURALS = ("ss", "us", "is")
_PERSONS = words(
    """person man woman author researcher scientist actor actress singer writer director president player politician
    musician king queen artist composer economist physicist painter architect founder inventor producer guitarist
    drummer poet general minister governor mayor senator professor philosopher journalist character wife husband
    mother father daughter son brother sister ceo chairman leader engineer mathematician historian"""
)
_PLACES = words("city town county region continent place location village province district island capital")
_HEADS: tuple[tuple[Sort, frozenset[str]], ...] = (
    ("country", frozenset({"country", "nation"})),
    ("state", frozenset({"state"})),
    ("place", _PLACES),
    ("person", _PERSONS),
)
_TERM = re.compile(
    r"\b(?:(?:what|which) (?:is |are )?(?:the |a )?(?:\w+ )?(?:term|terminology|concept|phrase|phenomenon|name for)"
    r"|(?:is|are|was|were)\b.*\b(?:called|termed)\b)",
    re.IGNORECASE,
)
_WHO = re.compile(r"\bwho(?:m|se)?\b", re.IGNORECASE)
_WHERE = re.compile(r"\bwhere\b", re.IGNORECASE)


def _sort(text: str, asked: list[str]) -> Sort:
    """Return the sort of what is asked, by its head; "who" and "where" ask only where no "which" or "what" does."""
    if _TERM.search(text):
        return "term"
    head = asked[-1].lower().removesuffix("s") if asked else ""
    told = _sort_of(head)
    if told or _WHICH.search(text):
        return told
    return "person" if _WHO.search(text) else "place" if _WHERE.search(text) else ""


def _sort_of(head: str) -> Sort:
    for sort, heads in _HEADS:
        if head in heads:
            return sort
    return ""


def _focus_words(text: str) -> list[str]:
    match = _FOCUS.search(text) or _WHO_IS.search(text)
    return _until_verb(text[match.end() :]) if match else []


def _until_verb(text: str) -> list[str]:
    """Return the words of `text` up to the first that is no part of what is asked."""
    found: list[str] = []
    for match in _WORD.finditer(text):
        word = match.group(1)
        if word.lower() in _PHRASE_ENDS:
            return found
        if found and (_ENDS.match(word) or _is_verb(word, found[-1], text[match.end() :])):
            return found
        found.append(word)
        if len(found) == _MOST_WORDS or match.group(2) in {"?", ",", ":", ";", ")"}:
            return found
    return found


def _is_verb(word: str, before: str, rest: str) -> bool:
    """Say whether `word` is a verb in -s: "which state borders Ohio", not "which sports teams are"."""
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
