"""Compute the difference or ratio of two numbers stated in the snippets."""

from __future__ import annotations

import re
from dataclasses import replace

from kohaku_lib.answering.extractive.evidence.evidence import Evidence
from kohaku_lib.answering.extractive.finding import Finding
from kohaku_lib.answering.extractive.formatting import format_number
from kohaku_lib.answering.extractive.numbers.numbers import NumberCandidate, find_number, number_candidates
from kohaku_lib.answering.extractive.question.question import QuestionForm
from kohaku_lib.answering.extractive.text import content_stems


def find_calculated(form: QuestionForm, evidence: Evidence) -> Finding | None:
    """Return the requested difference or ratio, computed from the best number for each operand.

    A ratio that a snippet states is returned directly. None if the operands cannot be distinguished or their numbers
    are not comparable.
    """
    stated = find_number(form, evidence) if form.operation == "ratio" else None
    if stated is not None and stated.confidence >= _MIN_STATED_CONFIDENCE:
        return stated
    operands = comparison_operands(form.text)
    pair = _best_pair(form, evidence, *operands) if operands is not None else None
    if pair is None:
        return None
    one, other = pair
    value = _compute(form, one, other)
    documents = tuple(dict.fromkeys((one.sentence.document_id, other.sentence.document_id)))
    confidence = 0.9 * min(1.0, min(one.score, other.score) / 2.5)
    return Finding(format_number(value), one.sentence.text, documents, confidence, one.score, one.sentence.support)


def comparison_operands(text: str) -> tuple[frozenset[str], frozenset[str]] | None:
    """Return the stems specific to each of the two compared things, None if the question does not name two.

    >>> comparison_operands("What is the difference between the share of ACL papers and the share of CVPR papers?")
    (frozenset({'acl'}), frozenset({'cvpr'}))
    """
    for pattern in _COMPARISONS:
        match = pattern.search(text)
        if match is None:
            continue
        one, other = frozenset(content_stems(match.group(1))), frozenset(content_stems(match.group(2)))
        if one - other and other - one:
            return one - other, other - one
    return None


_MIN_STATED_CONFIDENCE = 0.55
_COMPARISONS = (
    re.compile(r"\bbetween (.+) and (.+)", re.IGNORECASE),
    re.compile(r"\b(?:does|do|did|is|are|was|were|has|have)\s+(.+?)\s+than\s+(.+)", re.IGNORECASE),
    re.compile(r"\bratio of (.+?) (?:to|over|and|versus|vs\.?) (.+)", re.IGNORECASE),
    re.compile(r"\bof (.+?) (?:over|versus|vs\.?|compared (?:to|with)) (.+)", re.IGNORECASE),
)
_MAX_CANDIDATES = 8


def _best_pair(
    form: QuestionForm, evidence: Evidence, one: frozenset[str], other: frozenset[str]
) -> tuple[NumberCandidate, NumberCandidate] | None:
    unitless = replace(form, unit=None, unit_stems=frozenset()) if form.operation == "ratio" else form
    firsts = number_candidates(unitless, _reweight(evidence, one, other))[:_MAX_CANDIDATES]
    seconds = number_candidates(unitless, _reweight(evidence, other, one))[:_MAX_CANDIDATES]
    pairs = [
        (first, second)
        for first in firsts
        for second in seconds
        if _comparable(first, second) and _mentions(first, one) and _mentions(second, other)
    ]
    return max(pairs, key=lambda pair: pair[0].score + pair[1].score, default=None)


def _reweight(evidence: Evidence, wanted: frozenset[str], unwanted: frozenset[str]) -> Evidence:
    weights = {
        stem: weight * (2.0 if stem in wanted else 1.0)
        for stem, weight in evidence.stem_to_weight.items()
        if stem not in unwanted
    }
    whole = sum(weights.values()) or 1.0
    return replace(evidence, stem_to_weight={stem: weight / whole for stem, weight in weights.items()})


def _comparable(first: NumberCandidate, second: NumberCandidate) -> bool:
    is_range = first.low != first.high or second.low != second.high
    if is_range or first.low == second.low or 0 in (first.low, second.low):
        return False
    one, other = first.quantity.unit, second.quantity.unit
    return one == other if one is None or other is None else one.measure == other.measure


def _mentions(candidate: NumberCandidate, stems: frozenset[str]) -> bool:
    return not stems.isdisjoint(candidate.sentence.stems)


def _compute(form: QuestionForm, one: NumberCandidate, other: NumberCandidate) -> float:
    low, high = sorted((_base_value(form, one), _base_value(form, other)))
    return high / low if form.operation == "ratio" else float(f"{high - low:.10g}")


def _base_value(form: QuestionForm, candidate: NumberCandidate) -> float:
    unit = candidate.quantity.unit
    return candidate.low * unit.factor if form.operation == "ratio" and unit is not None else candidate.low
