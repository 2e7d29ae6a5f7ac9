"""Possible answers that the model reads in a context, each with what speaks for it."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from kohaku_lib.answering.extractive.question.question import QuestionForm
from kohaku_lib.answering.extractive.reader.explanations import asks_for_explanation
from kohaku_lib.answering.extractive.reader.model import Reading, Span, SpanModel
from kohaku_lib.answering.extractive.reader.passages import Line, Passage, passages_of, stems_in
from kohaku_lib.answering.extractive.reader.values import Located, locate, value_of
from kohaku_lib.answering.extractive.text import Token, carries_content, tokens_of
from kohaku_lib.tables import Snippet
from kohaku_lib.text.dates import plain_dates

MOST_PASSAGES = 40
Place = Literal["sentence", "cell", "explanation"]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A value with the sentence or row that holds it, and by name what speaks for it."""

    value: str
    located: Located
    place: Place
    features: Mapping[str, float]


def read_candidates(
    model: SpanModel, form: QuestionForm, question: str, snippets: Sequence[Snippet]
) -> list[Candidate]:
    """Return the possible answers of the asked kind: the likeliest span of each passage of prose, the cells of rows.

    Where sentences are asked for, the one that holds the likeliest span. A candidate depends on the question, its own
    passage, and the opening of its document.
    """
    asked = Asked.of(form, question)
    passages = passages_of(snippets, asked.names, {word.stem for word in asked.words})[:MOST_PASSAGES]
    readings = model.read(asked.text, passages)
    return [
        one for passage, reading in zip(passages, readings, strict=True) for one in _candidates(asked, passage, reading)
    ]


@dataclass(frozen=True, slots=True)
class Asked:
    """A question: its form, its text with dates in one spelling, its content words, and the stems of its names."""

    form: QuestionForm
    text: str
    words: tuple[Token, ...]
    names: frozenset[str]

    @classmethod
    def of(cls, form: QuestionForm, question: str) -> Asked:
        """Return the question as it is read."""
        text = plain_dates(question).text
        words = tuple(_content_words(text))
        names = frozenset(
            word.stem for word in words if word.start > 0 and (word.surface[0].isupper() or word.surface[0].isdigit())
        )
        return cls(form, text, words, names)

    def share_in(self, stems: set[str]) -> float:
        """Return the share of the content words that are among `stems`."""
        return sum(word.stem in stems for word in self.words) / len(self.words) if self.words else 0.0


def _candidates(asked: Asked, passage: Passage, reading: Reading) -> Iterator[Candidate]:
    is_explained = asks_for_explanation(asked.text)
    if passage.lines[0].cells and not is_explained:
        yield from _cells(asked, passage, reading)
        return
    for span in reading.spans:
        located = locate(span, passage)
        if located is None:
            continue
        if is_explained:
            if _SENTENCE_END.search(located.line.quote):
                yield Candidate(located.line.quote, located, "explanation", _features(asked, located, reading))
                return
            continue
        value = value_of(asked.form, located)
        if value is not None:
            features = _features(asked, located, reading) | {"span": math.log(span.probability + 1e-6)}
            yield Candidate(value, located, "sentence", features)
            return


def _cells(asked: Asked, passage: Passage, reading: Reading) -> Iterator[Candidate]:
    """Yield every cell of the asked kind, with how far the question names its column and its row."""
    headers = [_named_share(asked, cell.column) for cell in passage.lines[0].cells]
    best_header = max(headers)
    row_shares = [max((_named_share(asked, cell.text) for cell in line.cells), default=0.0) for line in passage.lines]
    best_row = max(row_shares)
    for line, row_share in zip(passage.lines, row_shares, strict=True):
        for cell in line.cells:
            located = Located(cell.start, cell.end, passage, line, cell)
            value = value_of(asked.form, located)
            own = _named_share(asked, cell.text)
            if value is None or own == 1.0:
                continue
            header = _named_share(asked, cell.column)
            others = max((_named_share(asked, other.text) for other in line.cells if other is not cell), default=0.0)
            yield Candidate(
                value,
                located,
                "cell",
                _features(asked, located, reading)
                | {
                    "span": math.log(_probability_in(reading.spans, located) + 1e-4),
                    "column_named": header,
                    "column_named_best": float(header > 0 and header == best_header),
                    "column_unnamed": float(not cell.column),
                    "row_named": others,
                    "row_named_best": float(others > 0 and row_share == best_row),
                    "row_named_whole": float(others == 1.0),
                },
            )


def _probability_in(spans: Sequence[Span], located: Located) -> float:
    return sum(span.probability for span in spans if located.start <= span.start < located.end)


def _named_share(asked: Asked, text: str) -> float:
    """Return the share of the content words of a cell or the name of a column that the question says."""
    stems = {token.stem for token in _content_words(plain_dates(text).text)}
    return sum(any(_is_akin(one, word.stem) for word in asked.words) for one in stems) / len(stems) if stems else 0.0


def _content_words(text: str) -> Iterator[Token]:
    """Yield the words that carry content, single capitals among them: the M of "model M"."""
    for token in tokens_of(text):
        if carries_content(token.surface) or (len(token.surface) == 1 and token.surface.isupper() and token.start):
            yield token


def _is_akin(stem: str, other: str) -> bool:
    """Return whether one stem begins with the other: "own" and "owner", but not "1" and "12"."""
    short, long = sorted((stem, other), key=len)
    return long == short or (len(short) >= _LEAST_AKIN and long.startswith(short) and short.isalpha())


_LEAST_AKIN = 3  # letters


def _features(asked: Asked, located: Located, reading: Reading) -> dict[str, float]:
    passage, line = located.passage, located.line
    in_passage = stems_in(passage.text)
    in_line = stems_in(passage.text[: passage.lines[0].start]) | stems_in(_text_of(passage, line))
    return {
        "has_answer": reading.has_answer,
        "words_in_passage": asked.share_in(in_passage),
        "words_in_line": asked.share_in(in_line),
        "names_missing": float(len(asked.names - in_passage)),
    }


def _text_of(passage: Passage, line: Line) -> str:
    return passage.text[line.start : line.end]


_SENTENCE_END = re.compile(r"[.!?][\"”’)]*\s*$")
