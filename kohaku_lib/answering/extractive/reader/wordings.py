"""Passages read each with the question in the words of its own table."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from kohaku_lib.answering.extractive.numbers.quantities import quantities_in
from kohaku_lib.answering.extractive.question.question import QuestionForm
from kohaku_lib.answering.extractive.reader.asked import Asked
from kohaku_lib.answering.extractive.reader.measure_words import in_nouns_of
from kohaku_lib.answering.extractive.reader.model import Reading, SpanModel
from kohaku_lib.answering.extractive.reader.passages import Cell, Passage


def read_in_own_words(
    model: SpanModel, form: QuestionForm, asked: Asked, passages: Sequence[Passage]
) -> list[tuple[Asked, Reading]]:
    """Return by passage the question as it is read there, and what the model finds.

    Beside sentences that is the question as it is written, in a table the one for the noun of its column of numbers or its row.
    """
    wordings = [_in_words_of(form, asked, passage) for passage in passages]
    groups: defaultdict[str, list[int]] = defaultdict(list)
    for place, wording in enumerate(wordings):
        groups[wording.text].append(place)
    readings: dict[int, Reading] = {}
    for text, places in groups.items():
        readings.update(zip(places, model.read(text, [passages[place] for place in places]), strict=True))
    return [(wording, readings[place]) for place, wording in enumerate(wordings)]


def _in_words_of(form: QuestionForm, asked: Asked, passage: Passage) -> Asked:
    cells = [cell for line in passage.lines for cell in line.cells[1:] if _can_be_measure(form, cell)]
    columns = dict.fromkeys(cell.column for cell in cells)
    if not columns or any(asked.share_named_by(name) == 1.0 for name in columns):  # "How high is the rent?"
        return asked
    text = in_nouns_of(asked.text, [*columns, *(key.text for key in passage.keys)])
    return asked if text == asked.text else Asked.of(form, text)


def _can_be_measure(form: QuestionForm, cell: Cell) -> bool:
    """Return whether a cell has a number, and none in a unit of another measure than the asked one: no price in metres."""
    units = [one.unit for one in quantities_in(cell.text) if one.unit is not None and not one.unit.is_noun]
    fits = form.unit is None or form.unit.is_noun or all(unit.measure == form.unit.measure for unit in units)
    return fits and any(map(str.isdigit, cell.text))
