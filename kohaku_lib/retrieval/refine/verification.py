"""Verifies that snippets help to answer the question: by cosine, or graded by a chat model in one call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from kohaku_lib.errors import ModelError
from kohaku_lib.prompts import snippet_grading as wording
from kohaku_lib.text.json_replies import last_json_value

BEST_GRADE = 10

ChatCall = Callable[[str, str, str], str]  # (system prompt, user prompt, question id) -> reply


@dataclass(frozen=True, slots=True)
class Grades:
    """The grade of each snippet, from 0 to 1, and the missing information, if requested."""

    grades: list[float]
    missing: list[str] = field(default_factory=list)


class UnusableGradesError(ModelError):
    """A reply without usable grades; a retry would return the same reply."""


def grade_by_chat(question: str, texts: Sequence[str], level: str, chat: ChatCall, question_id: str = "") -> Grades:
    """Return the grades of `texts` by one call of `chat`, at level "standard" or "thorough".

    A thorough grade is the mean of relevance and grounding.

    Raises:
        UnusableGradesError: The number of grades in the reply differs from that of the texts.
    """
    excerpts = "\n\n".join(f"<excerpt {number}>\n{text}\n</excerpt {number}>" for number, text in enumerate(texts, 1))
    user = wording.USER.format(question=question, excerpts=excerpts, count=len(texts))
    system = wording.STANDARD if level == "standard" else wording.THOROUGH
    return parse_grades(chat(system, user, question_id), len(texts), level)


def parse_grades(reply: str, count: int, level: str = "standard") -> Grades:
    """Return the grades in a model's reply: those of the last JSON object with `count` grades of each kind.

    Prose, reasoning and code fences around it are ignored; grades are clipped to 0 to 10.

    >>> parse_grades('{"relevance": [10, 4]}', 2).grades
    [1.0, 0.4]
    >>> parse_grades('{"relevance": [8], "grounding": [4], "missing": ["the year"]}', 1, "thorough")
    Grades(grades=[0.6], missing=['the year'])
    """
    names = ("relevance",) if level == "standard" else ("relevance", "grounding")
    graded = last_json_value(reply, lambda value: _holds_grades(value, names, count))
    if graded is None:
        msg = f"a verifier must grade {count} snippets, got {reply[:80]!r}; try another rerank.chat_model"
        raise UnusableGradesError(msg)
    columns = [graded[name] for name in names]
    grades = [sum(map(_clip_grade, row)) / (BEST_GRADE * len(row)) for row in zip(*columns, strict=True)]
    missing = graded.get("missing") if level == "thorough" else None
    return Grades(grades, [str(item) for item in missing] if isinstance(missing, list) else [])


def passing(grades: Sequence[float | None], least: float) -> tuple[list[bool], bool]:
    """Return which snippets have a grade of at least `least` or no grade, and whether any does.

    If none does, the best one (the first among equals) passes.

    >>> passing([0.2, 0.7, None], 0.6), passing([0.2, 0.4], 0.6)
    (([False, True, True], True), ([False, True], False))
    """
    keep = [grade is None or grade >= least for grade in grades]
    if any(keep) or not keep:
        return keep, bool(keep)
    known_grades = [-1.0 if grade is None else grade for grade in grades]
    keep[known_grades.index(max(known_grades))] = True
    return keep, False


def _holds_grades(value: Any, names: Sequence[str], count: int) -> bool:
    return isinstance(value, dict) and all(_is_grades(value.get(name), count) for name in names)


def _is_grades(value: Any, count: int) -> bool:
    return isinstance(value, list) and len(value) == count and all(map(_is_number, value))


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and value == value  # noqa: PLR0124 - no NaN


def _clip_grade(grade: float) -> float:
    return min(max(grade, 0), BEST_GRADE)
