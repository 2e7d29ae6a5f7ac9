"""The best supported number or range for a question."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from kohaku_lib.answering.reader.evidence import Evidence, Sentence
from kohaku_lib.answering.reader.finding import Finding
from kohaku_lib.answering.reader.quantities import Quantity, format_value, quantities_in
from kohaku_lib.answering.reader.question import QuestionForm
from kohaku_lib.answering.reader.units import convert


@dataclass(frozen=True, slots=True)
class Candidate:
    """A quantity in the asked unit, its sentence, and how well both fit the question."""

    low: float
    high: float
    quantity: Quantity
    sentence: Sentence
    fit: float  # of the unit, 0 to 1
    score: float


def find_number(form: QuestionForm, evidence: Evidence) -> Finding | None:
    """Return the number that best fits the asked unit near the question's terms, or None where none fits."""
    candidates = number_candidates(form, evidence)
    if not candidates:
        return None
    best = candidates[0]
    value = format_value(*_bounded(best, form))
    return Finding(value, best.sentence.text, (best.sentence.document_id,), _confidence(best), best.score)


def number_candidates(form: QuestionForm, evidence: Evidence) -> list[Candidate]:
    """Return every number that may answer `form`, the best first; equal scores keep the order of retrieval."""
    found = [candidate for sentence in evidence.sentences for candidate in _candidates(form, evidence, sentence)]
    return sorted(found, key=lambda candidate: -candidate.score)


_REACH = 7.0  # tokens over which nearness falls to 1/e


def _candidates(form: QuestionForm, evidence: Evidence, sentence: Sentence) -> list[Candidate]:
    fitted = [
        (quantity, fit)
        for quantity in quantities_in(sentence.text)
        if not quantity.decorated and (fit := _fitted(form, quantity, sentence)) is not None
    ]
    rivals = [(quantity.start, quantity.end) for quantity, _ in fitted]
    return [
        Candidate(low, high, quantity, sentence, fit, _score(form, evidence, sentence, quantity, fit, rivals))
        for quantity, (low, high, fit) in fitted
        if not (low in form.numbers and high in form.numbers)
    ]


def _score(
    form: QuestionForm,
    evidence: Evidence,
    sentence: Sentence,
    quantity: Quantity,
    fit: float,
    rivals: list[tuple[int, int]],
) -> float:
    return (
        0.5 * sentence.own
        + 0.5 * sentence.support
        + 0.8 * nearness(evidence, sentence, (quantity.start, quantity.end), rivals)
        + 0.6 * fit
        + 0.3 * evidence.document_to_share[sentence.document_id]
        + 0.1 / (1 + sentence.rank)
        + _form_bonus(form, quantity)
    )


def nearness(
    evidence: Evidence, sentence: Sentence, span: tuple[int, int], rivals: Sequence[tuple[int, int]] = ()
) -> float:
    """Return the question's weight found around a span, each stem discounted by its distance.

    A stem that stands nearer to one of the `rivals` (other spans of the same kind) counts by half.
    """
    stem_to_near: dict[str, float] = {}
    mine = _place_of(sentence, span)
    others = [_place_of(sentence, rival) for rival in rivals if rival != span]
    for token, place in zip(sentence.tokens, sentence.places, strict=True):
        weight = evidence.stem_to_weight.get(token.stem)
        if weight is None or span[0] <= token.start < span[1]:
            continue
        distance = _distance(place, mine)
        contested = any(_distance(place, other) < distance for other in others)
        near = weight * math.exp(-distance / _REACH) * (0.5 if contested else 1.0)
        stem_to_near[token.stem] = max(stem_to_near.get(token.stem, 0.0), near)
    return sum(stem_to_near.values())


def _place_of(sentence: Sentence, span: tuple[int, int]) -> tuple[float, float]:
    inside = [
        place for token, place in zip(sentence.tokens, sentence.places, strict=True) if span[0] <= token.start < span[1]
    ]
    return (inside[0], inside[-1]) if inside else (0.0, 0.0)


def _distance(place: float, extent: tuple[float, float]) -> float:
    return max(extent[0] - place, place - extent[1], 0.0)


def _fitted(form: QuestionForm, quantity: Quantity, sentence: Sentence) -> tuple[float, float, float] | None:
    """Return the quantity in the asked unit with how well it fits, or None where it cannot be meant."""
    if form.kind == "year":
        is_year = quantity.unit is None and quantity.low == int(quantity.low) and 1900 <= quantity.low <= 2100
        return (quantity.low, quantity.high, 1.0) if is_year else None
    if form.unit is None:
        return quantity.low, quantity.high, (0.2 if _looks_like_year(quantity) else 0.5)
    if quantity.unit is not None:
        low = convert(quantity.low, quantity.unit, form.unit)
        high = convert(quantity.high, quantity.unit, form.unit)
        return None if low is None or high is None else (low, high, 1.0)
    if _looks_like_year(quantity):
        return None
    scaled = form.unit.is_noun and quantity.high >= form.unit.factor
    factor = form.unit.factor if scaled else 1.0
    return quantity.low / factor, quantity.high / factor, _noun_fit(form, quantity, sentence)


def _noun_fit(form: QuestionForm, quantity: Quantity, sentence: Sentence) -> float:
    """Return how well an unmarked number fits: the asked thing follows it, stands in its sentence, or neither."""
    asked = form.unit_stems or frozenset(form.unit.measure.removeprefix("noun:").split() if form.unit else ())
    for place, noun in enumerate(quantity.nouns):
        if noun in asked:
            return 1.0 - 0.1 * place
    known = form.unit is not None and not form.unit.is_noun
    if asked & sentence.stems:
        return 0.3 if known else 0.35
    return 0.0 if known else 0.15


def _looks_like_year(quantity: Quantity) -> bool:
    return quantity.unit is None and quantity.low == int(quantity.low) and 1900 <= quantity.low <= 2100


def _form_bonus(form: QuestionForm, quantity: Quantity) -> float:
    bonus = 0.0
    if form.bound == "range":
        bonus += 0.3 if quantity.is_range else 0.0
    if form.bound == "high" and quantity.hedge in {
        "up to",
        "at most",
        "a maximum of",
        "maximum",
        "as much",
        "as high as",
    }:
        bonus += 0.2
    if form.bound == "low" and quantity.hedge in {"at least", "a minimum of", "minimum"}:
        bonus += 0.2
    return bonus


def _bounded(best: Candidate, form: QuestionForm) -> tuple[float, float]:
    if best.low == best.high or form.bound in {"range", ""}:
        return best.low, best.high
    return (best.high, best.high) if form.bound == "high" else (best.low, best.low)


def _confidence(best: Candidate) -> float:
    return min(1.0, best.score / 2.5)
