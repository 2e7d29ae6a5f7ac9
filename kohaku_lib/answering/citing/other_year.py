"""Whether the proof of an answer is about another year than the question."""

from __future__ import annotations

import re
from collections.abc import Sequence

from kohaku_lib.answering.citing.quotes import find_quote
from kohaku_lib.answering.citing.source import is_of
from kohaku_lib.answering.extractive.table_lines import has_bars
from kohaku_lib.answering.extractive.text import statement_spans
from kohaku_lib.tables import Snippet, StructuredAnswer
from kohaku_lib.text.equal_signs import with_equal_signs

_YEAR = re.compile(r"(?<![^\W_])(?:19|20)\d\d(?![^\W_])")  # also in the name of a file: rent_2025


def names_year(text: str) -> bool:
    """Return whether a text names a year."""
    return bool(_years(text))


def is_of_another_year(question: str, quote: str) -> bool:
    """Return whether the proof of an answer names years, and none of those that are asked about.

    >>> [is_of_another_year(f"How much in {year}?", "In 2023 it used 41,800 kWh.") for year in (2022, 2023)]
    [True, False]
    """
    asked, named = _years(question), _years(quote)
    return bool(asked and named) and asked.isdisjoint(named)


def of_asked_year(question: str, snippets: Sequence[Snippet]) -> Sequence[Snippet]:
    """Return the snippets without those whose file is of another year than the question, if the file of one is of its year.

    A file is of the years that its path names. A snippet that names an asked year itself stays.

    >>> shown = [Snippet(f"d{year}:p1", "d", "Rent", 1, "It is high.", 1, 1.0, path=f"rent_{year}") for year in (2025, 2026)]
    >>> [[one.node_id for one in of_asked_year(f"How high was it in {year}?", shown)] for year in (2026, 2024)]
    [['d2026:p1'], ['d2025:p1', 'd2026:p1']]
    """
    asked = _years(question)
    if not any(asked & _years(one.path) for one in snippets):
        return snippets
    return [
        one
        for one in snippets
        if not is_of_another_year(question, one.path) or asked & _years(f"{one.heading} {one.text}")
    ]


def _years(text: str) -> set[str]:
    return set(_YEAR.findall(with_equal_signs(text)))


def is_answer_of_another_year(question: str, answer: StructuredAnswer, snippets: Sequence[Snippet]) -> bool:
    """Return whether the quote that a model chose is about another year, read with what stands around it in its snippet.

    Where the quote names no year, the sentences that hold it tell, and where these name none, the sentence before them. A row
    of a table has none before it.

    >>> shown = [Snippet("d:p1", "d", "D", 1, "In 2023 the house used 61,000 kWh, the machine room 29,260 kWh of it.", 1, 1.0)]
    >>> told = StructuredAnswer("29260", "29260", ("d",), "", "the machine room 29,260 kWh of it")
    >>> [is_answer_of_another_year(f"How much did the machine room use in {year}?", told, shown) for year in (2021, 2023)]
    [True, False]
    """
    texts = [answer.quote or "", *_around(answer, snippets)]
    return is_of_another_year(question, next((text for text in texts if names_year(text)), ""))


def _around(answer: StructuredAnswer, snippets: Sequence[Snippet]) -> Sequence[str]:
    """Return the sentences that hold the quote of an answer, and the one before them; () where no snippet holds it."""
    cited = [one for one in snippets if is_of(one, answer.ref_id)]
    place = (find_quote(answer.quote, cited) or find_quote(answer.quote, snippets)) if answer.quote else None
    if place is None:
        return ()
    text, spans = place.snippet.text, statement_spans(place.snippet.text)
    before = [text[start:end] for start, end in spans if end <= place.char_start]
    held = " ".join(text[start:end] for start, end in spans if start < place.char_end and end > place.char_start)
    return (held,) if has_bars(held) else (held, *before[-1:])
