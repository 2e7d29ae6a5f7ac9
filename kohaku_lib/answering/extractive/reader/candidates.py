"""Possible answers that the model reads in a context, each with what speaks for it."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from kohaku_lib.answering.extractive.question.focus import focus_stems
from kohaku_lib.answering.extractive.question.question import QuestionForm
from kohaku_lib.answering.extractive.reader.explanations import asks_for_explanation
from kohaku_lib.answering.extractive.reader.model import Reading, SpanModel
from kohaku_lib.answering.extractive.reader.passages import Cell, Line, Passage, passages_of, stems_in
from kohaku_lib.answering.extractive.reader.values import Located, locate, value_of
from kohaku_lib.answering.extractive.text import Token, carries_content, content_stems, is_akin, tokens_of
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
    """A question: its form, its text with dates in one spelling, its content words, and stems of its names and focus.

    The focus is the thing that is asked for, as "gas" in "How much gas did we use?".
    """

    form: QuestionForm
    text: str
    words: tuple[Token, ...]
    names: frozenset[str]
    focus: frozenset[str]

    @classmethod
    def of(cls, form: QuestionForm, question: str) -> Asked:
        """Return the question as it is read."""
        text = plain_dates(question).text
        words = tuple(_content_words(text))
        names = frozenset(
            word.stem for word in words if word.start > 0 and (word.surface[0].isupper() or word.surface[0].isdigit())
        )
        return cls(form, text, words, names, frozenset(_focus(text)))

    def share_in(self, stems: set[str]) -> float:
        """Return the share of the content words that are among `stems`."""
        return sum(word.stem in stems for word in self.words) / len(self.words) if self.words else 0.0

    def focus_missing_in(self, stems: set[str]) -> float:
        """Return the share of the focus that no stem of a text is akin to."""
        missing = [one for one in self.focus if not any(is_akin(one, other) for other in stems)]
        return len(missing) / len(self.focus) if self.focus else 0.0


def _focus(text: str) -> Sequence[str]:
    match = _HOW_MANY.search(text)
    return content_stems(match[1]) if match else focus_stems(text)


_HOW_MANY = re.compile(
    r"\b(?:how (?:much|many)|wie viele?)\s+((?:[\w-]+\s+){0,3}?[\w-]+)"
    r"(?=\s+(?:do|does|did|is|are|was|were|has|have|had|of|in|on|at|for|with|can|will|hat|haben|hatte|wurden?|sind|gab)\b|\?)",
    re.IGNORECASE,
)


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
            features = _features(asked, located, reading) | {
                "span": math.log(span.probability + 1e-6),
                "focus_missing": asked.focus_missing_in(stems_in(_text_of(passage, located.line))),
            }
            yield Candidate(value, located, "sentence", features)
            return


def _cells(asked: Asked, passage: Passage, reading: Reading) -> Iterator[Candidate]:
    """Yield every cell of the asked kind, with how far the question names its column and its row.

    Where the question names rows by their words, or asks for a total, only their cells.
    """
    rows = _rows_asked_for(asked, passage)
    headers = [_named_share(asked, cell.column) for cell in passage.lines[0].cells]
    best_header = max(headers)
    row_shares = [max((_named_share(asked, cell.text) for cell in line.cells), default=0.0) for line in passage.lines]
    best_row = max(row_shares)
    head = stems_in(passage.text[: passage.lines[0].start])
    shares = _shares_of_rows(passage, reading, rows)
    area = 0
    for line, row_share in zip(passage.lines, row_shares, strict=True):
        in_row = stems_in(" ".join(passage.text[cell.start : cell.end] for cell in line.cells))
        for cell in line.cells:
            located, share = Located(cell.start, cell.end, passage, line, cell), shares[area]
            area += 1
            value = value_of(asked.form, located)
            own = _named_share(asked, cell.text)
            if value is None or own == 1.0 or line not in rows:
                continue
            header = _named_share(asked, cell.column)
            others = max((_named_share(asked, other.text) for other in line.cells if other is not cell), default=0.0)
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
            )


def _shares_of_rows(passage: Passage, reading: Reading, rows: Sequence[Line]) -> list[float]:
    """Return the probability of each answer area of a table given that the answer lies in one of `rows`."""
    inside = [line in rows for line in passage.lines for _ in line.cells]
    shares = [share if is_in else 0.0 for share, is_in in zip(reading.areas, inside, strict=True)]
    whole = sum(shares) or 1.0
    return [share / whole for share in shares]


def _rows_asked_for(asked: Asked, passage: Passage) -> Sequence[Line]:
    """Return the rows of totals if the question asks for one, else those that it names with all words of a cell, else all."""
    totals = [line for line in passage.lines if _TOTAL.match(line.cells[0].text)]
    single = [line for line in passage.lines if line not in totals]
    named = [line for line in single if any(_is_named(asked, cell) for cell in line.cells)]
    is_whole = bool(named) and named[0] == single[0] and named[-1] == single[-1]
    if totals and (_ASKS_FOR_TOTAL.search(asked.text) or (is_whole and _FROM_TO.search(asked.text))):
        return totals
    return named or single or totals


def _is_named(asked: Asked, cell: Cell) -> bool:
    return any(sign.isalpha() for sign in cell.text) and _named_share(asked, cell.text) == 1.0


_TOTAL = re.compile(r"\W*(?:grand )?(?:total|sum|all|altogether|gesamt|summe|insgesamt)\b", re.IGNORECASE)
_ASKS_FOR_TOTAL = re.compile(
    r"\b(?:total|sum|all|altogether|overall|together|insgesamt|gesamt|zusammen)\b", re.IGNORECASE
)
_FROM_TO = re.compile(r"\b(?:from|von) \S+(?: \d{4})? (?:to|bis)\b", re.IGNORECASE)


def _named_share(asked: Asked, text: str) -> float:
    """Return the share of the content words of a cell or the name of a column that the question says."""
    stems = {token.stem for token in _content_words(plain_dates(text).text)}
    return sum(any(is_akin(one, word.stem) for word in asked.words) for one in stems) / len(stems) if stems else 0.0


def _content_words(text: str) -> Iterator[Token]:
    """Yield the words that carry content, single capitals among them: the M of "model M"; May is a month."""
    for token in tokens_of(text):
        if (
            token.surface == "May"
            or carries_content(token.surface)
            or (len(token.surface) == 1 and token.surface.isupper() and token.start)
        ):
            yield token


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


def _text_of(passage: Passage, line: Line) -> str:
    return passage.text[line.start : line.end]


_SENTENCE_END = re.compile(r"[.!?][\"”’)]*\s*$")
