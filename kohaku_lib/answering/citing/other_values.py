"""What other documents state instead of a value, in the same words: another version of a policy, another copy of a report."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from typing import Any

from kohaku_lib.answering.citing.quotes import QuotePlace, find_quote
from kohaku_lib.answering.extractive.formatting import format_value
from kohaku_lib.answering.extractive.numbers.quantities import Quantity, quantities_in
from kohaku_lib.answering.extractive.numbers.written_unit import with_written_unit
from kohaku_lib.answering.extractive.text import Token, content_stems, statement_spans, tokens_of
from kohaku_lib.tables import Question, Snippet, StructuredAnswer
from kohaku_lib.values import is_blank, parse_value, values_equal

_LEAST_SHARED = 0.6  # of the words of both statements
_MOST = 5  # values named
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")


@dataclass(frozen=True, slots=True)
class OtherValue:
    """A value that another document states, as it is written there, with the statement and its passage."""

    value: str
    text: str  # with its unit
    quote: str
    snippet: Snippet
    further_documents: tuple[str, ...] = ()  # that state it, too
    is_same_wording: bool = False  # but for the value

    @property
    def document_ids(self) -> tuple[str, ...]:
        """The documents that state it, that of the passage first."""
        return tuple(dict.fromkeys((self.snippet.document_id, *self.snippet.also_in, *self.further_documents)))

    def as_json(self) -> dict[str, Any]:
        """Return the value as the JSON object of the server."""
        page = self.snippet.page_at(max(0, self.snippet.text.find(self.quote)))
        place = {"node_id": self.snippet.node_id, "heading": self.snippet.heading, "page": page}
        return {"text": self.text, "document_ids": list(self.document_ids), "quote": self.quote, **place}


def other_values(question: Question, answer: StructuredAnswer, snippets: Sequence[Snippet]) -> tuple[OtherValue, ...]:
    """Return the values that other documents state where the answer's has its own; none for a claim or without a quote.

    Two statements are about the same thing if they share three fifths of their words, all of their names and numbers but for
    the value, and if the other one, with its title and headings, says no less of the question.

    >>> snippets = [Snippet(f"{year}:p1", year, year, 1, text, 1, 1.0) for year, text in
    ...     (("2024", "The limit for gifts is 40 EUR."), ("2026", "The limit for gifts is 25 EUR a year."))]
    >>> read = StructuredAnswer("40", "40", ("2024",), "", quote="The limit for gifts is 40 EUR.")
    >>> [one.text for one in other_values(Question("q", "What is the limit for gifts?"), read, snippets)]
    ['25 EUR']
    """
    if is_blank(answer.answer_value) or not answer.quote:
        return ()
    place = find_quote(answer.quote, [one for one in snippets if _is_cited(one, answer)])
    own = _statement_with_value(place, answer.answer_value) if place else None
    if place is None or own is None:
        return ()
    asked = set(content_stems(question.text))
    said = asked & set(content_stems(f"{place.snippet.place}\n{own.text}"))
    found: list[OtherValue] = []
    for snippet in snippets:
        if _is_cited(snippet, answer):
            continue
        for text in _statements(snippet.text):
            value, is_same = _value_in_the_same_place(own, text) or (None, False)
            if value is None or not said <= set(content_stems(f"{snippet.place}\n{text}")):
                continue
            _add(
                found,
                OtherValue(value, with_written_unit(value, text, snippet.text), text, snippet, (), is_same),
                answer,
            )
    return tuple(found[:_MOST])


@dataclass(frozen=True, slots=True)
class Settled:
    """An answer, what other documents state instead, and whether the answer's document is the latest of them."""

    answer: StructuredAnswer
    others: tuple[OtherValue, ...]
    is_latest: bool


def settle(question: Question, answer: StructuredAnswer, snippets: Sequence[Snippet]) -> Settled:
    """Return the value of the latest edition where documents state several, and the others; else the answer as it is.

    Only statements of the same wording are editions of one, which the latest year in the title and the id of a document
    tells. A question that names a year has chosen its own.
    """
    others = other_values(question, answer, snippets)
    if not others:
        return Settled(answer, (), is_latest=True)
    own = _own_value(answer, snippets)
    stated = (own, *(one for one in others if one.is_same_wording))
    if len(stated) == 1:
        return Settled(answer, others, is_latest=True)
    editions = [_edition(one) for one in stated]
    known = [year for year in editions if year is not None]
    if len(known) < len(editions) or known.count(max(known)) > 1 or _YEAR.search(question.text):
        return Settled(answer, others, is_latest=False)
    last = stated[known.index(max(known))]
    if last is own:
        return Settled(answer, others, is_latest=True)
    newer = replace(
        answer,
        answer=last.value if answer.answer == answer.answer_value else last.text,
        answer_value=last.value,
        ref_id=(last.snippet.document_id, *last.snippet.also_in),
        explanation=last.quote,
        quote=last.quote,
        cited_nodes=(),
    )
    return Settled(newer, tuple(one for one in (own, *others) if one is not last), is_latest=True)


def _own_value(answer: StructuredAnswer, snippets: Sequence[Snippet]) -> OtherValue:
    """Return the value of the answer as one that a document states."""
    place = find_quote(answer.quote or "", [one for one in snippets if _is_cited(one, answer)])
    assert place is not None  # others were found beside it
    text = with_written_unit(answer.answer_value, answer.quote, place.snippet.text)
    return OtherValue(answer.answer_value, text, answer.quote or "", place.snippet, answer.ref_id[1:])


@dataclass(frozen=True, slots=True)
class _Statement:
    """A sentence or row with the span of the value in it."""

    text: str
    start: int
    end: int
    number: Quantity | None  # that is the value


def _add(found: list[OtherValue], other: OtherValue, answer: StructuredAnswer) -> None:
    if values_equal(other.value, answer.answer_value):
        return
    for at, one in enumerate(found):
        if values_equal(one.value, other.value):
            found[at] = replace(one, further_documents=(*one.further_documents, *other.document_ids))
            return
    found.append(other)


def _is_cited(snippet: Snippet, answer: StructuredAnswer) -> bool:
    return any(name in answer.ref_id for name in (snippet.document_id, *snippet.also_in))


def _statements(text: str) -> Iterator[str]:
    return (text[start:end] for start, end in statement_spans(text))


def _statement_with_value(place: QuotePlace, value: str) -> _Statement | None:
    """Return the statement of the quote that has the value as it is, not converted."""
    text, number = place.snippet.text, parse_value(value)
    for start, end in statement_spans(text):
        if end <= place.char_start or start >= place.char_end:
            continue
        statement = text[start:end]
        if number.low is not None:
            for one in quantities_in(statement):
                if (one.low, one.high) == (number.low, number.high):
                    return _Statement(statement, one.start, one.end, one)
        elif stated := re.search(rf"(?<!\w){re.escape(value)}(?!\w)", statement, re.IGNORECASE):
            return _Statement(statement, *stated.span(), None)
    return None


def _value_in_the_same_place(own: _Statement, text: str) -> tuple[str, bool] | None:
    """Return what `text` says where `own` says its value, if both are about the same thing, and whether all else is the same.

    A number in another unit is none: 4 kg and 4000 g are no two values.
    """
    mine, theirs = tokens_of(own.text), tokens_of(text)
    place = [at for at, token in enumerate(mine) if token.start < own.end and own.start < token.end]
    if not place or not theirs or not _are_akin(mine, theirs):
        return None
    span = _aligned([one.stem for one in mine], [one.stem for one in theirs], place[0], place[-1] + 1)
    if span is None:
        return None
    first, last = span
    around, beside = (*mine[: place[0]], *mine[place[-1] + 1 :]), (*theirs[:first], *theirs[last:])
    if _marks(around) != _marks(beside):
        return None
    is_same = [one.stem for one in around] == [one.stem for one in beside]
    start, end = theirs[first].start, theirs[last - 1].end
    if own.number is None:
        return text[start:end], is_same
    numbers = [one for one in quantities_in(text) if one.start < end and start < one.end]
    if len(numbers) != 1 or numbers[0].unit != own.number.unit:
        return None
    return format_value(numbers[0].low, numbers[0].high), is_same


def _are_akin(mine: Sequence[Token], theirs: Sequence[Token]) -> bool:
    first, second = ({one.stem for one in tokens} for tokens in (mine, theirs))
    return len(first & second) >= _LEAST_SHARED * len(first | second)


def _aligned(mine: Sequence[str], theirs: Sequence[str], first: int, last: int) -> tuple[int, int] | None:
    """Return the places in `theirs` that stand for those from `first` to `last` in `mine`; None if none clearly do."""
    start = end = None
    for kind, i1, i2, j1, j2 in SequenceMatcher(None, mine, theirs, autojunk=False).get_opcodes():
        if i1 <= first < i2 and (kind == "equal" or i1 == first):
            start = j1 + first - i1
        if i1 < last <= i2 and (kind == "equal" or i2 == last):
            end = j2 - (i2 - last)
    return (start, end) if start is not None and end is not None and start < end else None


def _marks(tokens: Sequence[Token]) -> frozenset[str]:
    """Return the names and numbers among words; the first of a text is capital whatever it is."""
    return frozenset(
        one.stem for one in tokens if any(map(str.isdigit, one.surface)) or (one.start > 0 and one.surface[0].isupper())
    )


def _edition(stated: OtherValue) -> int | None:
    names = (stated.snippet.document_title, *stated.document_ids)
    return max((int(year) for name in names for year in _YEAR.findall(name)), default=None)
