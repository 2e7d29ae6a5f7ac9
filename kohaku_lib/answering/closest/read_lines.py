"""The sentences and rows of a context as the reader's model reads them, each with what speaks for it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from kohaku_lib.answering.citing.other_thing import AskedThings
from kohaku_lib.answering.citing.other_year import is_of_another_year
from kohaku_lib.answering.extractive.question.question import QuestionForm, read_question
from kohaku_lib.answering.extractive.reader.asked import Asked
from kohaku_lib.answering.extractive.reader.explanations import asks_for_explanation
from kohaku_lib.answering.extractive.reader.model import Reading, Span, SpanModel
from kohaku_lib.answering.extractive.reader.passages import Line, Passage, passages_of, stems_in
from kohaku_lib.answering.extractive.reader.values import locate, value_of
from kohaku_lib.answering.extractive.reader.whole_tables import lines_alone
from kohaku_lib.tables import Question, Snippet


@dataclass(frozen=True, slots=True)
class ReadLine:
    """A sentence or row with the likeliest answer in it, if any, its value if it is of the asked kind, and features by name.

    `value_share` is the probability of the value among all values that are read in the line.
    """

    passage: Passage
    line: Line
    span: Span | None
    value: str | None
    features: Mapping[str, float]
    value_share: float = 1.0


def read_lines(
    model: SpanModel, question: Question, snippets: Sequence[Snippet], first: int = 0, last: int | None = None
) -> list[ReadLine]:
    """Return the sentences and rows of the passages of `snippets` from the `first` to before the `last`.

    Left out are questions, as in a FAQ, what is about another year or another thing than the question, and single rows of a
    table that only all of them together answer. What speaks for one depends on the question, its own passage, and the
    place of that in the search's order.
    """
    form = read_question(question)
    asked = Asked.of(form, question.text)
    passages = passages_of(snippets, asked.names, {word.stem for word in asked.words})[first:last]
    things = AskedThings.of(asked.text, [snippet.text for snippet in snippets])
    return [
        one
        for place, (passage, reading) in enumerate(zip(passages, model.read(asked.text, passages), strict=True), first)
        for one in _lines(form, asked, things, passage, reading, place)
    ]


def _lines(
    form: QuestionForm, asked: Asked, things: AskedThings, passage: Passage, reading: Reading, place: int
) -> Iterator[ReadLine]:
    head = stems_in(passage.text[: passage.lines[0].start])
    in_passage = stems_in(passage.text)
    around = stems_in(passage.snippet.place) | head
    areas = iter(reading.areas)
    has_no_value = form.kind == "claim" or asks_for_explanation(asked.text)
    alone = passage.lines if has_no_value else lines_alone(asked.text, passage)
    for line in passage.lines:
        share = sum(next(areas) for _ in line.cells or (line,))
        if line.quote.rstrip().endswith("?") or line not in alone or _is_of_another(things, passage, line):
            continue
        own = stems_in(passage.text[line.start : line.end])
        spans = [one for one in reading.spans if line.start <= one.start < line.end]
        span = spans[0] if spans else None
        values = [None if has_no_value else _value_in(form, one, passage) for one in spans]
        value = values[0] if values else None
        yield ReadLine(
            passage,
            line,
            span,
            value,
            {
                "over_none": reading.over_none,
                "share": math.log(share + 1e-4),
                "span": math.log((span.probability if span else 0.0) + 1e-4),
                "search_rank": math.log1p(place),
                "words_in_line": asked.share_in(own),
                "words_in_place": asked.share_in(around - own),
                "names_missing": float(len(asked.names - own - around - in_passage)),
                "names_missing_in_line": float(len(asked.names - own - around)),
                "focus_missing": asked.focus_missing_in(own | around),
                "fits": float(has_no_value or value is not None),
                "is_row": float(bool(line.cells)),
            },
            _share_of_first(spans, values),
        )


def _value_in(form: QuestionForm, span: Span, passage: Passage) -> str | None:
    located = locate(span, passage)
    return None if located is None else value_of(form, located)


def _share_of_first(spans: Sequence[Span], values: Sequence[str | None]) -> float:
    """Return the probability of the first value among those of a line; 1 where the first span gives none."""
    if not values or values[0] is None:
        return 1.0
    shares = [one.probability for one, value in zip(spans, values, strict=True) if value not in (None, values[0])]
    return spans[0].probability / sum([spans[0].probability, *shares])


def _is_of_another(things: AskedThings, passage: Passage, line: Line) -> bool:
    before = [one.quote for one in passage.lines if one.end <= line.start]
    cells = [(cell.column, cell.text) for cell in line.cells]
    return is_of_another_year(things.text, line.quote) or things.is_other_line(
        line.quote, cells, before, passage.snippet.place
    )
