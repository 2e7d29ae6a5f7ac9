"""Sentences that say all of a question and the one amount or date that it can ask for."""

from __future__ import annotations

import re

from kohaku_lib.answering.extractive.claims.polarity import negations_in
from kohaku_lib.answering.extractive.numbers.quantities import quantities_in
from kohaku_lib.answering.extractive.question.question import QuestionForm
from kohaku_lib.answering.extractive.reader.asked import Asked
from kohaku_lib.answering.extractive.reader.model import Span
from kohaku_lib.answering.extractive.reader.passages import Line, Passage, stems_in
from kohaku_lib.answering.extractive.reader.values import PLAIN_DATE
from kohaku_lib.text.stop_words import stop_words


def stated_value(asked: Asked, passage: Passage, line: Line) -> Span | None:
    """Return the one amount of the asked unit, or the one date, in a sentence that says every content word of the question.

    None for rows, for a question of too few words, and where the sentence denies, sets a limit or tells a plan that the
    question does not speak of: a valve that must not leak more than 3 l/h may leak less.
    """
    text = passage.text[line.start : line.end]
    found = _spans_asked_for(asked.form, text)
    if line.cells or len(found) != 1 or negations_in(text):
        return None
    if _OTHER_MODE.search(text) and not _OTHER_MODE.search(asked.form.text):
        return None
    said = stems_in(passage.text[: passage.lines[0].start]) | stems_in(text)
    words = {word.stem for word in asked.words if word.surface.lower() not in _GERMAN_FILLERS}
    if len(words) + len(words & asked.names) < _LEAST_WORDS or not words | asked.relations <= said:
        return None
    [(start, end)] = found
    return Span(line.start + start, line.start + end, 1.0)


def _spans_asked_for(form: QuestionForm, text: str) -> list[tuple[int, int]]:
    if form.kind == "year":
        return [match.span() for match in PLAIN_DATE.finditer(text)]
    if form.kind != "number" or form.unit is None or form.unit.is_noun or form.operation:
        return []
    amounts = (one for one in quantities_in(text) if one.unit is not None and one.unit.measure == form.unit.measure)
    return [(one.start, one.end) for one in amounts]


_GERMAN_FILLERS = stop_words("german") | {"wann"}
_LEAST_WORDS = 3  # of the question that the sentence says, names counted twice
_OTHER_MODE = re.compile(
    r"\b(?:must|should|shall|(?-i:may)|might|could|would|will|if|unless|before|until|planned|expected|estimated|at (?:most|least)"
    r"|(?:more|less) than|up to|over|under|limit\w*|maximum|minimum|instead|than|except|only"
    r"|muss|müssen|soll\w*|darf|dürfen|könnte\w*|würde\w*|wird|werden|wenn|falls|bevor|bis|geplant|höchstens|mindestens"
    r"|maximal|minimal|als|statt|außer|nur)\b",
    re.IGNORECASE,
)
