"""Distinguish the exact name, size or year in a question from similar ones."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

MarkRelation = Literal["same", "rival", ""]


@dataclass(frozen=True, slots=True)
class Mark:
    """A name, size or year in a text; marks of one family refer to different things unless their keys are equal."""

    family: str
    key: str
    start: int
    end: int


@lru_cache(maxsize=4096)
def marks_in(text: str) -> tuple[Mark, ...]:
    """Return the names with a variant ("GPT-3.5", "Rho-M"), model sizes ("70B") and years in `text`, in order.

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


def mark_relation(question_marks: Sequence[Mark], text: str, start: int, end: int) -> MarkRelation:
    """Return whether the number at `start` belongs to a mark of the question ("same") or to a rival of one ("rival").

    The nearest mark of each family in the question decides; on equal distance, the one before the number. A rival in any
    family makes the number a rival.

    >>> question_marks, text = marks_in("How large is Rho-M?"), "Rho-S has 120 million weights, Rho-M has 350 million."
    >>> mark_relation(question_marks, text, 10, 13), mark_relation(question_marks, text, 41, 44)
    ('rival', 'same')
    """
    relations = [
        _family_relation(question_marks, family, text, start, end)
        for family in dict.fromkeys(mark.family for mark in question_marks)
    ]
    if "rival" in relations:
        return "rival"
    return "same" if "same" in relations else ""


_YEAR = re.compile(r"(?<![\w.,$-])(?:19|20)\d{2}(?![\w%]|[.,]\d)")
_SIZE = re.compile(r"(?<![\w.,$])\d+(?:\.\d+)?[BM](?![\w/])")
_VARIANT = re.compile(r"\b([A-Za-z]{2,})-(\d+(?:\.\d+)?[a-z]{0,2}|[A-Z]{1,2})(?![\w-])")
_CLAUSE_DISTANCE = 12  # characters that a comma, semicolon or "and" adds to the distance


def _family_relation(question_marks: Sequence[Mark], family: str, text: str, start: int, end: int) -> MarkRelation:
    keys = {mark.key for mark in question_marks if mark.family == family}
    found = [mark for mark in marks_in(text) if mark.family == family and not start <= mark.start < end]
    if not found:
        return ""
    nearest = min(found, key=lambda mark: (_distance(text, mark, start, end), mark.start > start))
    return "same" if nearest.key in keys else "rival"


def _distance(text: str, mark: Mark, start: int, end: int) -> int:
    gap = text[mark.end : start] if mark.end <= start else text[end : mark.start]
    return len(gap) + _CLAUSE_DISTANCE * (gap.count(",") + gap.count(";") + gap.count(" and ") + 2 * gap.count(". "))
