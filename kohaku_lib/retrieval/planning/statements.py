"""Queries for the financial statement that answers a question, which rarely has the words of the question."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path

from kohaku_lib.retrieval.planning.plan_rules import names_and_numbers


def statement_queries(question: str) -> list[str]:
    """Return a query for each part of a financial statement that the measures in `question` are computed from.

    Each consists of the names and numbers of the question and the usual words of that part. Measures are English terms
    such as "quick ratio", compared as whole words without regard to case; statement_words.json lists them.

    >>> statement_queries("Is Boeing capital-intensive based on FY2022 data?")[0][:58]
    'Boeing FY2022 consolidated statements of cash flows invest'
    >>> statement_queries("Who chairs Boeing?")
    []
    """
    names = names_and_numbers(question)
    return [" ".join([*names, words]) for measures, words in _statements() if measures.search(question)]


@cache
def _statements() -> tuple[tuple[re.Pattern[str], str], ...]:
    entries = json.loads(Path(__file__).with_name("statement_words.json").read_text(encoding="utf-8"))
    return tuple((_whole_words(entry["terms"]), entry["words"]) for entry in entries)


def _whole_words(terms: list[str]) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, terms))})(?!\w)", re.IGNORECASE)
