"""Telling the exact name, size or year of a question from a rival that differs in little."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

Kinship = Literal["same", "rival", ""]


@dataclass(frozen=True, slots=True)
class Mark:
    """A name, size or year of a text: marks of one family name different things unless their keys are equal."""

    family: str
    key: str
    start: int
    end: int


@lru_cache(maxsize=4096)
def marks_in(text: str) -> tuple[Mark, ...]:
    """Return the names with a variant ("GPT-3.5", "Rho-M"), model sizes ("70B") and years of `text`, in order.

    >>> [(mark.family, mark.key) for mark in marks_in("GPT-3.5 and LLaMA 65B of 2023")]
    [('gpt', '3.5'), ('size', '65b'), ('year', '2023')]
    """
    marks = [Mark("year", match.group(), *match.span()) for match in _YEAR.finditer(text)]
    marks += [Mark("size", match.group().lower(), *match.span()) for match in _SIZE.finditer(text)]
    marks += [
        Mark(match.group(1).lower(), match.group(2).lower(), *match.span())
        for match in _VARIANT.finditer(text)
        if not _YEAR.fullmatch(match.group(2))
    ]
    return tuple(sorted(marks, key=lambda mark: mark.start))


def kinship(asked: Sequence[Mark], text: str, start: int, end: int) -> Kinship:
    """Say whether the number at `start` belongs to a name of the question or to a rival of one.

    The nearest mark of each asked family decides, one before the number where two are as near; a rival in any
    family makes a rival.

    >>> asked, text = marks_in("How large is Rho-M?"), "Rho-S has 120 million weights, Rho-M has 350 million."
    >>> kinship(asked, text, 10, 13), kinship(asked, text, 41, 44)
    ('rival', 'same')
    """
    verdicts = [_verdict(asked, family, text, start, end) for family in dict.fromkeys(mark.family for mark in asked)]
    if "rival" in verdicts:
        return "rival"
    return "same" if "same" in verdicts else ""


_YEAR = re.compile(r"(?<![\w.,$-])(?:19|20)\d{2}(?![\w%]|[.,]\d)")
_SIZE = re.compile(r"(?<![\w.,$])\d+(?:\.\d+)?[BM](?![\w/])")
_VARIANT = re.compile(r"\b([A-Za-z]{2,})-(\d+(?:\.\d+)?[a-z]{0,2}|[A-Z]{1,2})(?![\w-])")
_BREAK = 12  # characters that a comma, semicolon or "and" adds to the distance


def _verdict(asked: Sequence[Mark], family: str, text: str, start: int, end: int) -> Kinship:
    keys = {mark.key for mark in asked if mark.family == family}
    found = [mark for mark in marks_in(text) if mark.family == family and not start <= mark.start < end]
    if not found:
        return ""
    nearest = min(found, key=lambda mark: (_distance(text, mark, start, end), mark.start > start))
    return "same" if nearest.key in keys else "rival"


def _distance(text: str, mark: Mark, start: int, end: int) -> int:
    gap = text[mark.end : start] if mark.end <= start else text[end : mark.start]
    return len(gap) + _BREAK * (gap.count(",") + gap.count(";") + gap.count(" and ") + 2 * gap.count(". "))
