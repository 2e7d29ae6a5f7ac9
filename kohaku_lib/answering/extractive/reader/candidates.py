"""Possible answers that the model reads in a context, each with what speaks for it."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from kohaku_lib.answering.citing.other_thing import AskedThings
from kohaku_lib.answering.extractive.question.question import QuestionForm
from kohaku_lib.answering.extractive.reader.asked import Asked
from kohaku_lib.answering.extractive.reader.explanations import asks_for_explanation, gives_asked_reason
from kohaku_lib.answering.extractive.reader.model import Reading, SpanModel
from kohaku_lib.answering.extractive.reader.passages import Line, Passage, passages_of, stems_in
from kohaku_lib.answering.extractive.reader.rows_asked import is_measured_key, rows_asked_for
from kohaku_lib.answering.extractive.reader.stated_values import stated_value
from kohaku_lib.answering.extractive.reader.values import Located, locate, value_of
from kohaku_lib.answering.extractive.reader.whole_tables import lines_alone
from kohaku_lib.answering.extractive.reader.wordings import read_in_own_words
from kohaku_lib.tables import Snippet

MOST_PASSAGES = 40  # of a context
Place = Literal["sentence", "cell", "explanation"]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A value with the sentence or row that holds it, by name what speaks for it, and the question as it was read there.

    `is_stated` tells that it is the one amount or date in a sentence that says all of the question.
    """

    value: str
    located: Located
    place: Place
    features: Mapping[str, float]
    asked: str
    is_stated: bool = False


def read_candidates(
    model: SpanModel,
    form: QuestionForm,
    question: str,
    snippets: Sequence[Snippet],
    most_passages: int = MOST_PASSAGES,
) -> list[Candidate]:
    """Return the possible answers of the asked kind: the likeliest span of each passage of prose, the cells of rows.

    Where sentences are asked for, the one that holds the likeliest span; where a sentence says all of the question and one
    amount of the asked unit or one date, that. A candidate depends on the question, its own passage, and the opening of its
    document. Of the first 40 passages `most_passages` are read: those with the most
    words of the question.
    """
    asked = Asked.of(form, question)
    passages = passages_of(snippets, asked.names, {word.stem for word in asked.words})[:MOST_PASSAGES]
    passages = _closest(asked, passages, most_passages)
    readings = read_in_own_words(model, form, asked, passages)
    return [
        one
        for passage, (wording, reading) in zip(passages, readings, strict=True)
        for one in _candidates(wording, passage, reading)
    ]


def _closest(asked: Asked, passages: list[Passage], most: int) -> list[Passage]:
    """Return the `most` passages that have the largest share of the question's words in one line, in their order."""
    if len(passages) <= most:
        return passages
    closeness = [_closeness(asked, passage) for passage in passages]
    best = sorted(range(len(passages)), key=lambda place: -closeness[place])[:most]
    return [passages[place] for place in sorted(best)]


def _closeness(asked: Asked, passage: Passage) -> float:
    head = stems_in(passage.text[: passage.lines[0].start])
    in_line = max(asked.share_in(head | stems_in(_text_of(passage, line))) for line in passage.lines)
    return in_line + _BESIDE * asked.share_in(stems_in(passage.text))


def _candidates(asked: Asked, passage: Passage, reading: Reading) -> Iterator[Candidate]:
    is_explained = asks_for_explanation(asked.text)
    alone = passage.lines if is_explained else _own_lines(asked, passage)
    if passage.lines[0].cells and not is_explained:
        yield from _cells(asked, passage, reading, alone)
        return
    stated = [span for line in passage.lines if (span := stated_value(asked, passage, line))]
    for span in (*stated, *reading.spans):
        located = locate(span, passage)
        if located is None or located.line not in alone or _SALUTATION.match(located.line.quote):
            continue
        if is_explained:
            if _SENTENCE_END.search(located.line.quote) or gives_asked_reason(asked.text, located.line.quote):
                features = _features(asked, located, reading) | {"words_of_line": _share_of_line(asked, located)}
                yield Candidate(located.line.quote, located, "explanation", features, asked.text)
                return
            continue
        value = value_of(asked.form, located)
        if value is not None:
            features = _features(asked, located, reading) | {
                "span": math.log(span.probability + 1e-6),
                "focus_missing": asked.focus_missing_in(stems_in(_text_of(passage, located.line))),
            }
            yield Candidate(value, located, "sentence", features, asked.text, is_stated=span in stated)
            return


def _own_lines(asked: Asked, passage: Passage) -> Sequence[Line]:
    """Return the lines that can answer alone, without rows and items that have another key than the question names."""
    things = AskedThings.of(asked.text, ())
    lines = lines_alone(asked.text, passage)
    return [
        line for line in lines if not things.is_other_entry(line.quote, [(one.column, one.text) for one in line.cells])
    ]


def _cells(asked: Asked, passage: Passage, reading: Reading, alone: Sequence[Line]) -> Iterator[Candidate]:
    """Yield every cell of the asked kind in the rows that `alone` can answer, with how far the question names column and row.

    Where the question names rows by their words, or asks for a total, only their cells; none where it takes several rows.
    """
    rows = [line for line in rows_asked_for(asked, passage) if line in alone]
    headers = [asked.share_named_by(cell.column) for cell in passage.lines[0].cells]
    best_header = max(headers)
    row_shares = [max((asked.share_named_by(cell.text) for cell in line.cells), default=0.0) for line in passage.lines]
    best_row = max(row_shares)
    head = stems_in(passage.text[: passage.lines[0].start])
    shares = _shares_of_rows(passage, reading, rows)
    area = 0
    for line, row_share in zip(passage.lines, row_shares, strict=True):
        in_line = stems_in(_text_of(passage, line))
        in_row = stems_in(" ".join(passage.text[cell.start : cell.end] for cell in line.cells))
        for cell in line.cells:
            located, share = Located(cell.start, cell.end, passage, line, cell), shares[area]
            area += 1
            value = value_of(asked.form, located)
            own = asked.share_named_by(cell.text)
            if value is None or own == 1.0 or line not in rows or not asked.relations <= head | in_line:
                continue
            header = asked.share_named_by(cell.column)
            if is_measured_key(asked, cell) or any(asked.share_named_by(name) > header for name in line.denied):
                continue
            others = max((asked.share_named_by(other.text) for other in line.cells if other is not cell), default=0.0)
            here = head | in_row | stems_in(cell.column)
            yield Candidate(
                value,
                located,
                "cell",
                {
                    "has_answer": reading.has_answer,
                    "span": math.log(share + 1e-4),
                    "words_here": asked.share_in(here),
                    "names_missing_here": float(len(asked.names - here)),
                    "focus_missing": asked.focus_missing_in(here),
                    "column_named": header,
                    "column_named_best": float(header > 0 and header == best_header),
                    "column_unnamed": float(not cell.column),
                    "row_named": others,
                    "row_named_best": float(others > 0 and row_share == best_row),
                    "row_named_whole": float(others == 1.0),
                },
                asked.text,
            )


def _shares_of_rows(passage: Passage, reading: Reading, rows: Sequence[Line]) -> list[float]:
    """Return the probability of each answer area of a table given that the answer lies in one of `rows`."""
    inside = [line in rows for line in passage.lines for _ in line.cells]
    shares = [share if is_in else 0.0 for share, is_in in zip(reading.areas, inside, strict=True)]
    whole = sum(shares) or 1.0
    return [share / whole for share in shares]


def _features(asked: Asked, located: Located, reading: Reading) -> dict[str, float]:
    passage, line = located.passage, located.line
    in_passage = stems_in(passage.text)
    in_line = stems_in(passage.text[: passage.lines[0].start]) | stems_in(_text_of(passage, line))
    return {
        "has_answer": reading.has_answer,
        "words_in_passage": asked.share_in(in_passage),
        "words_in_line": asked.share_in(in_line),
        "names_missing": float(len(asked.names - in_passage)),
        "names_missing_in_line": float(len(asked.names - in_line)),
    }


def _share_of_line(asked: Asked, located: Located) -> float:
    """Return the share of the content words that the line says, of those that title and caption do not say."""
    passage, line = located.passage, located.line
    head = stems_in(passage.text[: passage.lines[0].start])
    own = {word.stem for word in asked.words} - head
    return len(own & stems_in(_text_of(passage, line))) / len(own) if own else 0.0


def _text_of(passage: Passage, line: Line) -> str:
    return passage.text[line.start : line.end]


_BESIDE = 0.3  # what a word of the question elsewhere in the passage counts
_SALUTATION = re.compile(r"(?:dear|hello|hi|hallo|liebe[rs]?|sehr geehrte[rs]?) [^.!?]{1,60},\s*$", re.IGNORECASE)
_SENTENCE_END = re.compile(r"[.!?][\"”’)]*\s*$")
