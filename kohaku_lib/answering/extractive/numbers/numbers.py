"""Find the best supported number or range."""

from __future__ import annotations

import re
from dataclasses import dataclass

from kohaku_lib.answering.extractive.evidence.evidence import Evidence, Sentence
from kohaku_lib.answering.extractive.evidence.table_rows import column_weight
from kohaku_lib.answering.extractive.finding import Finding
from kohaku_lib.answering.extractive.formatting import format_value
from kohaku_lib.answering.extractive.nearness import Span, nearness
from kohaku_lib.answering.extractive.numbers.ends import end_of
from kohaku_lib.answering.extractive.numbers.quantities import Quantity, quantities_in
from kohaku_lib.answering.extractive.numbers.rivals import mark_relation, marks_in
from kohaku_lib.answering.extractive.numbers.series import paired_names
from kohaku_lib.answering.extractive.numbers.unit_fit import FittedQuantity, fit_unit
from kohaku_lib.answering.extractive.question.question import QuestionForm
from kohaku_lib.answering.extractive.text import content_stems


@dataclass(frozen=True, slots=True)
class NumberCandidate:
    """A quantity in the requested unit, its sentence, and their combined score."""

    low: float
    high: float
    quantity: Quantity
    sentence: Sentence
    fit: float  # of the unit, 0 to 1
    score: float


def find_number(form: QuestionForm, evidence: Evidence) -> Finding | None:
    """Return the number with the best fit to the requested unit and the question's terms, None if there is none."""
    candidates = number_candidates(form, evidence)
    if not candidates:
        return None
    best = candidates[0]
    other = next((one.score for one in candidates if (one.low, one.high) != (best.low, best.high)), 0.0)
    return Finding(
        format_value(*_select_bound(best, form)),
        best.sentence.text,
        (best.sentence.document_id,),
        _confidence(best),
        best.score,
        best.sentence.support,
        best.score - other,
    )


def number_candidates(form: QuestionForm, evidence: Evidence) -> list[NumberCandidate]:
    """Return all candidate numbers, best first; ties are in retrieval order."""
    found = [candidate for sentence in evidence.sentences for candidate in _candidates(form, evidence, sentence)]
    return sorted(found, key=lambda candidate: -candidate.score)


# score weights, tuned on all kinds of questions
_RELATION_BONUS = {"same": 0.2, "rival": -0.4, "": 0.0}
_OWN, _SUPPORT, _NEAR, _FIT, _DOCUMENT, _RANK = 0.5, 0.5, 0.8, 0.6, 0.45, 0.2


def _candidates(form: QuestionForm, evidence: Evidence, sentence: Sentence) -> list[NumberCandidate]:
    fitted = [
        (quantity, fit)
        for quantity in _quantities(sentence)
        if not quantity.decorated and (fit := fit_unit(form, quantity, sentence)) is not None
    ]
    best = max((fit.fit for _, fit in fitted), default=0.0)
    rivals = [(quantity.start, quantity.end) for quantity, fit in fitted if fit.fit >= best - 0.3]
    return [
        NumberCandidate(
            fit.low, fit.high, quantity, sentence, fit.fit, _score(form, evidence, sentence, quantity, fit, rivals)
        )
        for quantity, fit in fitted
        if not (fit.low in form.numbers and fit.high in form.numbers)
    ]


def _quantities(sentence: Sentence) -> tuple[Quantity, ...]:
    return quantities_in(sentence.text, decimal_commas=sentence.conventions.decimal_commas)


def _score(
    form: QuestionForm,
    evidence: Evidence,
    sentence: Sentence,
    quantity: Quantity,
    fit: FittedQuantity,
    rivals: list[Span],
) -> float:
    return (
        _OWN * sentence.coverage
        + _SUPPORT * sentence.support
        + _NEAR * _nearness(evidence, sentence, quantity, rivals)
        + _FIT * fit.fit
        + _DOCUMENT * evidence.document_to_share[sentence.document_id]
        + _RANK / (1 + sentence.rank)
        + _form_bonus(form, quantity)
        + _series_bonus(evidence, sentence, quantity)
        + _end_bonus(form, quantity, sentence)
        + _RELATION_BONUS[mark_relation(marks_in(form.text), sentence.text, quantity.start, quantity.end)]
    )


def _nearness(evidence: Evidence, sentence: Sentence, quantity: Quantity, rivals: list[Span]) -> float:
    if not sentence.header:
        return nearness(evidence.stem_to_weight, sentence, (quantity.start, quantity.end), rivals)
    return 0.6 * sentence.coverage + column_weight(evidence.stem_to_weight, sentence, quantity.start)


def _series_bonus(evidence: Evidence, sentence: Sentence, quantity: Quantity) -> float:
    """Return a bonus if a series ("respectively") pairs the number with a name of the question, a penalty if with another."""
    pairs = paired_names(sentence.text)
    if quantity.start not in pairs:
        return 0.0
    shares = {start: _question_share(evidence, name) for start, name in pairs.items()}
    most = max(shares.values())
    if most < 0.5 or min(shares.values()) == most:
        return 0.0
    return 0.3 if shares[quantity.start] == most else -0.3


def _question_share(evidence: Evidence, name: str) -> float:
    """Return the share of the words of `name` that are in the question."""
    stems = content_stems(name)
    return sum(stem in evidence.stem_to_weight for stem in stems) / max(1, len(stems))


def _end_bonus(form: QuestionForm, quantity: Quantity, sentence: Sentence) -> float:
    if not form.end:
        return 0.0
    end = end_of(sentence.text, quantity, _quantities(sentence))
    return 0.3 if end == form.end else -0.3 if end else 0.0


def _form_bonus(form: QuestionForm, quantity: Quantity) -> float:
    bonus = 0.0
    if form.bound == "range":
        bonus += 0.45 if quantity.is_range else 0.0
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


def _select_bound(best: NumberCandidate, form: QuestionForm) -> tuple[float, float]:
    if form.end and best.quantity.is_range and _FROM.search(best.sentence.text[: best.quantity.start]):
        return (best.low, best.low) if form.end == "first" else (best.high, best.high)
    if best.low == best.high or form.bound in {"range", ""}:
        return best.low, best.high
    return (best.high, best.high) if form.bound == "high" else (best.low, best.low)


_FROM = re.compile(r"\bfrom\s*$", re.IGNORECASE)


def _confidence(best: NumberCandidate) -> float:
    return min(1.0, best.score / 2.7)
