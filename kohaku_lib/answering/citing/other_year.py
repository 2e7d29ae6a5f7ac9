"""Whether the proof of an answer is about another year than the question."""

from __future__ import annotations

import re

_YEAR = re.compile(r"\b(?:19|20)\d\d\b")


def is_of_another_year(question: str, quote: str) -> bool:
    """Return whether the proof of an answer names years, and none of those that are asked about.

    >>> [is_of_another_year(f"How much in {year}?", "In 2023 it used 41,800 kWh.") for year in (2022, 2023)]
    [True, False]
    """
    asked, named = set(_YEAR.findall(question)), set(_YEAR.findall(quote))
    return bool(asked and named) and asked.isdisjoint(named)
