"""The answer type of a question for a name: its head noun and the type of name."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from kohaku_lib.answering.extractive.evidence.evidence import PHRASING
from kohaku_lib.answering.extractive.text import content_stems
from kohaku_lib.text.word_lists import words

NameType = Literal["person", "place", "country", "state", "term", ""]


@dataclass(frozen=True, slots=True)
class Focus:
    """The stems of the requested thing, head last, and the type of matching names."""

    stems: tuple[str, ...]
    name_type: NameType

    @property
    def head(self) -> str:
        """Return the stem of the head noun, "" if the question has none."""
        return self.stems[-1] if self.stems else ""


@lru_cache(maxsize=1024)
def focus_of(text: str) -> Focus:
    """Return the focus of the question `text`.

    >>> focus_of("Which Canadian rock band released it?")
    Focus(stems=('canadian', 'rock', 'band'), name_type='')
    >>> focus_of("Who was the first president of the society?")
    Focus(stems=('first', 'presid'), name_type='person')
    """
    return Focus(focus_stems(text), _name_type(text, _focus_words(text)))


def focus_stems(text: str) -> tuple[str, ...]:
    """Return the stems of the requested thing: the words after "what", "which" or "who is the" up to the verb.

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
_MAX_WORDS = 6
_PLURALS = ("ss", "us", "is")
_PERSONS = words(
    """person man woman author researcher scientist actor actress singer writer director president player politician
    musician king queen artist composer economist physicist painter architect founder inventor producer guitarist
    drummer poet general minister governor mayor senator professor philosopher journalist character wife husband
    mother father daughter son brother sister ceo chairman leader engineer mathematician historian"""
)
_PLACES = words("city town county region continent place location village province district island capital")
_HEADS: tuple[tuple[NameType, frozenset[str]], ...] = (
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


def _name_type(text: str, focus: list[str]) -> NameType:
    """Return the name type by the head noun; "who" and "where" count only if there is no "which" or "what"."""
    if _TERM.search(text):
        return "term"
    head = focus[-1].lower().removesuffix("s") if focus else ""
    by_head = _type_of_head(head)
    if by_head or _WHICH.search(text):
        return by_head
    return "person" if _WHO.search(text) else "place" if _WHERE.search(text) else ""


def _type_of_head(head: str) -> NameType:
    for name_type, heads in _HEADS:
        if head in heads:
            return name_type
    return ""


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
