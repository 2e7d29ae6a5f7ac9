"""Choose the option with the highest or lowest number within one sentence."""

from __future__ import annotations

from kohaku_lib.answering.extractive.evidence.evidence import Evidence, Sentence
from kohaku_lib.answering.extractive.finding import Finding
from kohaku_lib.answering.extractive.numbers.quantities import Quantity, quantities_in
from kohaku_lib.answering.extractive.question.directions import direction_of
from kohaku_lib.answering.extractive.question.question import QuestionForm
from kohaku_lib.answering.extractive.text import tokens_of


def choose_extreme(form: QuestionForm, evidence: Evidence) -> Finding | None:
    """Return the option with the requested extreme of the numbers that one sentence states for at least two options.

    None if the question requests no extreme or no sufficiently supported sentence states such numbers. Sentences with more
    options take precedence, then those with more support.
    """
    direction = direction_of(form.text)
    if direction not in {"high", "low"}:
        return None
    matches = [
        (len(values), sentence.support, values, sentence)
        for sentence in evidence.sentences
        if sentence.support >= _MIN_SUPPORT and len(values := option_values(form.options, sentence)) > 1
    ]
    if not matches:
        return None
    _, support, values, sentence = max(matches, key=lambda one: one[:2])
    pick = max if direction == "high" else min
    option = pick(values, key=lambda name: values[name])
    return Finding(option, sentence.text, (sentence.document_id,), min(1.0, 0.4 + support), support, support)


def option_values(options: tuple[str, ...], sentence: Sentence) -> dict[str, float]:
    """Return the number of each option in `sentence`, in the base of their common unit; {} if units differ."""
    places = {option: place for option in options if (place := _find_option(option, sentence)) is not None}
    if len(places) < 2:
        return {}
    pairs = sorted(
        (
            (_distance(sentence.text, place, quantity), option, quantity)
            for option, place in places.items()
            for quantity in _amounts(sentence, list(places.values()))
        ),
        key=lambda pair: pair[0],
    )
    found: dict[str, Quantity] = {}
    for _, option, quantity in pairs:
        if option not in found and quantity not in found.values():
            found[option] = quantity
    measures = {quantity.unit.measure if quantity.unit else None for quantity in found.values()}
    if len(measures) != 1:
        return {}
    return {
        option: quantity.low * (quantity.unit.factor if quantity.unit else 1.0) for option, quantity in found.items()
    }


_MIN_SUPPORT = 0.45
_CLAUSE_DISTANCE = 12  # characters that a comma, semicolon or "and" adds to the distance


def _find_option(option: str, sentence: Sentence) -> tuple[int, int] | None:
    """Return the span of the consecutive words of `option` in `sentence`."""
    stems = [token.stem for token in tokens_of(option)]
    for first in range(len(sentence.tokens) - len(stems) + 1):
        run = sentence.tokens[first : first + len(stems)]
        if stems and [token.stem for token in run] == stems:
            return run[0].start, run[-1].end
    return None


def _amounts(sentence: Sentence, places: list[tuple[int, int]]) -> list[Quantity]:
    return [
        quantity
        for quantity in quantities_in(sentence.text)
        if not (quantity.is_year or quantity.decorated or quantity.is_range)
        and not any(start <= quantity.start < end for start, end in places)
    ]


def _distance(text: str, place: tuple[int, int], quantity: Quantity) -> int:
    gap = text[place[1] : quantity.start] if place[1] <= quantity.start else text[quantity.end : place[0]]
    return len(gap) + _CLAUSE_DISTANCE * (gap.count(",") + gap.count(";") + gap.count(" and "))
