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

_YEAR = re.compile(r"\b(?:19|20)\d\d\b")


def names_year(text: str) -> bool:
    """Return whether a text names a year."""
    return _YEAR.search(with_equal_signs(text)) is not None


def is_of_another_year(question: str, quote: str) -> bool:
    """Return whether the proof of an answer names years, and none of those that are asked about.

    >>> [is_of_another_year(f"How much in {year}?", "In 2023 it used 41,800 kWh.") for year in (2022, 2023)]
    [True, False]
    """
    asked, named = (set(_YEAR.findall(with_equal_signs(text))) for text in (question, quote))
    return bool(asked and named) and asked.isdisjoint(named)


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
