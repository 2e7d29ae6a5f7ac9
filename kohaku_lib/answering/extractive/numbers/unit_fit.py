"""Match quantities with the requested unit."""

from __future__ import annotations

import math
from dataclasses import dataclass

from kohaku_lib.answering.extractive.evidence.columns import cells_of
from kohaku_lib.answering.extractive.evidence.evidence import Sentence
from kohaku_lib.answering.extractive.evidence.table_rows import column_and_captions, header_unit
from kohaku_lib.answering.extractive.numbers.quantities import Quantity
from kohaku_lib.answering.extractive.numbers.stated_scale import as_paid, in_stated_scale
from kohaku_lib.answering.extractive.numbers.units import convert, in_unit, without_counted_denominator
from kohaku_lib.answering.extractive.question.question import QuestionForm
from kohaku_lib.answering.extractive.text import term_of, tokens_of
from kohaku_lib.text.units import Unit


@dataclass(frozen=True, slots=True)
class FittedQuantity:
    """A quantity in the requested unit; `fit` is 1 if the unit is adjacent, 0 without any indication."""

    low: float
    high: float
    fit: float


def fit_unit(form: QuestionForm, quantity: Quantity, sentence: Sentence) -> FittedQuantity | None:
    """Return `quantity` in the unit requested by `form`, None if it measures something else."""
    if form.kind == "year":
        return FittedQuantity(quantity.low, quantity.high, 1.0) if quantity.is_year else None
    column, captions = column_and_captions(sentence, quantity.start)
    quantity = in_stated_scale(quantity, form.unit, column, captions, is_cell=bool(sentence.header))
    quantity = as_paid(quantity, form.text)
    if form.unit is None:
        return FittedQuantity(quantity.low, quantity.high, 0.1 if quantity.is_year else 0.5)
    if quantity.unit is not None:
        return _fit_by_unit(form.unit, quantity, sentence)
    if quantity.is_year and not _is_cell(quantity, sentence):
        return None
    in_column = _fit_by_column(form.unit, quantity, sentence)
    if in_column is not None or (not form.unit.is_noun and _is_spelled_out(quantity, sentence)):
        return in_column  # "three models" counts models; it measures no kWh
    return _fit_by_noun(form, form.unit, quantity, sentence)


def _fit_by_unit(target: Unit, quantity: Quantity, sentence: Sentence) -> FittedQuantity | None:
    assert quantity.unit is not None
    low, high = in_unit(quantity.low, quantity.unit, target), in_unit(quantity.high, quantity.unit, target)
    if low is not None and high is not None:
        same = 1.0 if quantity.unit.measure == target.measure else 0.85
        unit, target_unit = without_counted_denominator(quantity.unit), without_counted_denominator(target)
        return FittedQuantity(low, high, same - min(0.6, 0.1 * abs(math.log10(unit.factor / target_unit.factor))))
    if target.is_noun and target.measure.split()[-1].removeprefix("noun:") in _quantity_stems(sentence, quantity):
        return FittedQuantity(quantity.low, quantity.high, 0.8)
    return None


def _is_cell(quantity: Quantity, sentence: Sentence) -> bool:
    """Return whether the number is in a row of amounts, in which 1930 may not be a year."""
    return bool(sentence.header) and any(start == quantity.start for start, _ in cells_of(sentence.text))


def _is_spelled_out(quantity: Quantity, sentence: Sentence) -> bool:
    return sentence.text[quantity.start : quantity.end].isalpha()


def _quantity_stems(sentence: Sentence, quantity: Quantity) -> frozenset[str]:
    return frozenset(term_of(token.surface) for token in tokens_of(sentence.text[quantity.start : quantity.end]))


def _fit_by_column(target: Unit, quantity: Quantity, sentence: Sentence) -> FittedQuantity | None:
    unit = header_unit(sentence, quantity.start, target.measure)
    if unit is None:
        return None
    low, high = convert(quantity.low, unit, target), convert(quantity.high, unit, target)
    return None if low is None or high is None else FittedQuantity(low, high, 0.7)


def _fit_by_noun(form: QuestionForm, target: Unit, quantity: Quantity, sentence: Sentence) -> FittedQuantity:
    scaled = target.is_noun and quantity.high >= target.factor
    factor = target.factor if scaled else 1.0
    return FittedQuantity(quantity.low / factor, quantity.high / factor, _noun_fit(form, target, quantity, sentence))


def _noun_fit(form: QuestionForm, target: Unit, quantity: Quantity, sentence: Sentence) -> float:
    """Return the fit of a number without a unit: the counted noun follows, precedes, is in the sentence, or is absent."""
    stems = form.unit_stems or frozenset(target.measure.removeprefix("noun:").replace("/", " ").split())
    for place, noun in enumerate(quantity.nouns):
        if noun in stems:
            return 1.0 - 0.1 * place
    before = tokens_of(sentence.text[max(0, quantity.start - 30) : quantity.start])[-3:]
    if target.is_noun and any(token.stem in stems for token in before):
        return 0.7
    if stems & sentence.stems:
        return 0.35 if target.is_noun else 0.25
    return 0.15 if target.is_noun else 0.0
