"""Acronym definitions in texts: "power usage effectiveness (PUE)" and "PUE (power usage effectiveness)"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Definition:
    """An acronym, its long form, and the span of the long form in the text."""

    acronym: str
    long_form: str
    start: int
    end: int


def find_definitions(text: str) -> Iterator[Definition]:
    """Yield the acronyms defined in `text`, from left to right.

    The letters of the acronym must be initials of the long form's words, in order and including the first word; function
    words such as "of" may be skipped.

    >>> [found.long_form for found in find_definitions("The power usage effectiveness (PUE) and AI (a field).")]
    ['power usage effectiveness']
    """
    for match in _BRACKETS.finditer(text):
        inner = match.group(1)
        if _ACRONYM.fullmatch(inner):
            yield from _definition_before(inner.removesuffix("s"), text, match.start())
        elif (before := _ACRONYM_BEFORE.search(text, max(0, match.start() - _LONGEST), match.start())) is not None:
            yield from _definition_within(before.group(1).removesuffix("s"), text, match.start(1), match.end(1))


_LONGEST = 12
_ACRONYM = re.compile(r"(?=[^A-Z]*[A-Z][^A-Z]*[A-Z])[A-Z][A-Za-z0-9&-]{1,9}")
_ACRONYM_BEFORE = re.compile(r"(?<![\w-])([A-Z]{2,10}s?)\s$")
_BRACKETS = re.compile(r"\(([^()\n]{2,80})\)")
_WORD = re.compile(r"[^\W_]+")
_SMALL = frozenset({"of", "for", "and", "the", "in", "on", "to", "by", "with", "a"})
_WIDEST = 150  # characters before the bracket


def _definition_before(acronym: str, text: str, end: int) -> Iterator[Definition]:
    start = max(text.rfind("\n", 0, end) + 1, end - _WIDEST)
    words = list(_WORD.finditer(text, start, end))
    first = _first_word(_letters(acronym), words)
    if first is not None and not text[words[-1].end() : end].strip(' "“”'):
        yield Definition(acronym, text[first : words[-1].end()], first, words[-1].end())


def _definition_within(acronym: str, text: str, start: int, end: int) -> Iterator[Definition]:
    words = list(_WORD.finditer(text, start, end))
    if words and _first_word(_letters(acronym), words) == words[0].start():
        yield Definition(acronym, text[words[0].start() : words[-1].end()], words[0].start(), words[-1].end())


def _letters(acronym: str) -> list[str]:
    return [sign.lower() for sign in acronym if sign.isupper() or sign.isdigit()]


def _first_word(letters: list[str], words: list[re.Match[str]]) -> int | None:
    """Return the start of the word of the first letter; None if the words do not match the letters."""
    left = len(letters)
    for word in reversed(words):
        lowered = word.group().lower()
        if lowered[0] == letters[left - 1]:
            left -= 1
            if not left:
                return word.start()
        elif lowered not in _SMALL:
            return None
    return None
