"""Sentences that say all of a question and the one amount that it can ask for."""

from __future__ import annotations

import re

from kohaku_lib.answering.extractive.claims.polarity import negations_in
from kohaku_lib.answering.extractive.numbers.quantities import quantities_in
from kohaku_lib.answering.extractive.reader.asked import Asked
from kohaku_lib.answering.extractive.reader.model import Span
from kohaku_lib.answering.extractive.reader.passages import Line, Passage, stems_in
from kohaku_lib.text.stop_words import stop_words


def stated_amount(asked: Asked, passage: Passage, line: Line) -> Span | None:
    """Return the one amount of the asked unit in a sentence that says every content word of the question.

    None for rows, and where the sentence denies, sets a limit or tells a plan that the question does not speak of: a valve
    that must not leak more than 3 l/h may leak less.
    """
    form = asked.form
    if line.cells or form.kind != "number" or form.unit is None or form.unit.is_noun or form.operation:
        return None
    words = [word.stem for word in asked.words if word.surface.lower() not in stop_words("german")]
    text = passage.text[line.start : line.end]
    said = stems_in(passage.text[: passage.lines[0].start]) | stems_in(text)
    if len(words) < _LEAST_WORDS or not {*words, *asked.relations} <= said or negations_in(text):
        return None
    if _OTHER_MODE.search(text) and not _OTHER_MODE.search(form.text):
        return None
    amounts = [one for one in quantities_in(text) if one.unit is not None and one.unit.measure == form.unit.measure]
    return Span(line.start + amounts[0].start, line.start + amounts[0].end, 1.0) if len(amounts) == 1 else None


_LEAST_WORDS = 3
_OTHER_MODE = re.compile(
    r"\b(?:must|should|shall|may|might|could|would|will|if|unless|before|until|planned|expected|estimated|at (?:most|least)"
    r"|(?:more|less) than|up to|over|under|limit\w*|maximum|minimum|instead|than|except|only"
    r"|muss|müssen|soll\w*|darf|dürfen|könnte\w*|würde\w*|wird|werden|wenn|falls|bevor|bis|geplant|höchstens|mindestens"
    r"|maximal|minimal|als|statt|außer|nur)\b",
    re.IGNORECASE,
)
