"""Whether the proof of an answer is about another year than the question."""

from __future__ import annotations

import re

from kohaku_lib.tables import StructuredAnswer

_YEAR = re.compile(r"\b(?:19|20)\d\d\b")


def is_of_another_year(question: str, answer: StructuredAnswer) -> bool:
    """Return whether the proof of an answer names years, and none of those that are asked about.

    >>> answer = StructuredAnswer("41,800", "41800", ("d",), "", quote="In 2023 it used 41,800 kWh.")
    >>> [is_of_another_year(question, answer) for question in ("How much in 2022?", "How much in 2023?")]
    [True, False]
    """
    asked, named = set(_YEAR.findall(question)), set(_YEAR.findall(answer.quote or ""))
    return bool(asked and named) and asked.isdisjoint(named)
