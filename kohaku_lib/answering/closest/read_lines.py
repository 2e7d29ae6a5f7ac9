"""The sentences and rows of a context as places where a question may be answered, each with what speaks for it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from kohaku_lib.answering.citing.other_thing import AskedThings
from kohaku_lib.answering.citing.other_year import is_of_another_year
from kohaku_lib.answering.extractive.question.question import QuestionForm, read_question
from kohaku_lib.answering.extractive.reader.asked import Asked
from kohaku_lib.answering.extractive.reader.candidates import MOST_PASSAGES
from kohaku_lib.answering.extractive.reader.explanations import asks_for_explanation
from kohaku_lib.answering.extractive.reader.model import Reading, Span, SpanModel
from kohaku_lib.answering.extractive.reader.passages import Line, Passage, passages_of, stems_in
from kohaku_lib.answering.extractive.reader.values import locate, value_of
from kohaku_lib.answering.extractive.reader.whole_tables import lines_alone
from kohaku_lib.answering.extractive.reader.wordings import read_in_own_words
from kohaku_lib.tables import Question, Snippet


@dataclass(frozen=True, slots=True)
class ReadLine:
    """A sentence or row with the likeliest answer in it, if any, and by name what speaks for it."""

    passage: Passage
    line: Line
    span: Span | None
    features: Mapping[str, float]


def read_lines(model: SpanModel, question: Question, snippets: Sequence[Snippet]) -> list[ReadLine]:
    """Return the sentences and rows of the first 40 passages of `snippets`.

    Left out are questions, as in a FAQ, what is about another year or another thing than the question, and single rows of a
    table that only all of them together answer.

    What speaks for one depends on the question and its own passage alone, so that other documents change nothing.
    """
    form = read_question(question)
    asked = Asked.of(form, question.text)
    passages = passages_of(snippets, asked.names, {word.stem for word in asked.words})[:MOST_PASSAGES]
    readings = read_in_own_words(model, form, asked, passages)
    things = AskedThings.of(asked.text, [snippet.text for snippet in snippets])
    return [
        one
        for passage, (wording, reading) in zip(passages, readings, strict=True)
        for one in _lines(form, wording, things, passage, reading)
    ]


def _lines(
    form: QuestionForm, asked: Asked, things: AskedThings, passage: Passage, reading: Reading
) -> Iterator[ReadLine]:
    head = stems_in(passage.text[: passage.lines[0].start])
    in_passage = stems_in(passage.text)
    place = stems_in(passage.snippet.place) | head
    areas = iter(reading.areas)
    has_no_value = form.kind in {"claim", "choice"} or asks_for_explanation(asked.text)
    alone = passage.lines if has_no_value else lines_alone(asked.text, passage)
    for line in passage.lines:
        share = sum(next(areas) for _ in line.cells or (line,))
        if line.quote.rstrip().endswith("?") or line not in alone or _is_of_another(things, passage, line):
            continue
        own = stems_in(passage.text[line.start : line.end])
        span = next((one for one in reading.spans if line.start <= one.start < line.end), None)
        located = locate(span, passage) if span is not None else None
        yield ReadLine(
            passage,
            line,
            span,
            {
                "has_answer": reading.has_answer,
                "share": math.log(share + 1e-4),
                "words_in_line": asked.share_in(own),
                "words_in_place": asked.share_in(place - own),
                "words_beside": asked.share_in(in_passage - own - place),
                "names_missing": float(len(asked.names - own - place - in_passage)),
                "names_missing_in_line": float(len(asked.names - own - place)),
                "focus_missing": asked.focus_missing_in(own | place),
                "fits": float(has_no_value or (located is not None and value_of(form, located) is not None)),
                "is_row": float(bool(line.cells)),
            },
        )


def _is_of_another(things: AskedThings, passage: Passage, line: Line) -> bool:
    before = [one.quote for one in passage.lines if one.end <= line.start]
    cells = [(cell.column, cell.text) for cell in line.cells]
    return is_of_another_year(things.text, line.quote) or things.is_other_line(
        line.quote, cells, before, passage.snippet.place
    )
