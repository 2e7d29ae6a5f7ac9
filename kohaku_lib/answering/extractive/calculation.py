"""The difference or ratio of two numbers that the snippets state."""

from __future__ import annotations

import re
from dataclasses import replace

from kohaku_lib.answering.extractive.evidence.evidence import Evidence
from kohaku_lib.answering.extractive.finding import Finding
from kohaku_lib.answering.extractive.formatting import format_number
from kohaku_lib.answering.extractive.numbers.numbers import Candidate, find_number, number_candidates
from kohaku_lib.answering.extractive.question.question import QuestionForm
from kohaku_lib.answering.extractive.text import content_stems


def find_calculated(form: QuestionForm, evidence: Evidence) -> Finding | None:
    """Return the asked difference or ratio, computed from the best number for either side.

    A ratio that a snippet states outright is taken as it stands; None where the sides cannot be told apart, or
    where their numbers are not of one kind.
    """
    stated = find_number(form, evidence) if form.operation == "ratio" else None
    if stated is not None and stated.confidence >= _STATED:
        return stated
    sides = compared_sides(form.text)
    pair = _best_pair(form, evidence, *sides) if sides is not None else None
    if pair is None:
        return None
    one, other = pair
    value = _computed(form, one, other)
    documents = tuple(dict.fromkeys((one.sentence.document_id, other.sentence.document_id)))
    confidence = 0.9 * min(1.0, min(one.score, other.score) / 2.5)
    return Finding(format_number(value), one.sentence.text, documents, confidence, one.score, one.sentence.support)


def compared_sides(text: str) -> tuple[frozenset[str], frozenset[str]] | None:
    """Return the stems that tell the two compared things apart, None where the question does not name two.

    >>> compared_sides("What is the difference between the share of ACL papers and the share of CVPR papers?")
    (frozenset({'acl'}), frozenset({'cvpr'}))
    """
    for pattern in _SIDES:
        match = pattern.search(text)
        if match is None:
            continue
        one, other = frozenset(content_stems(match.group(1))), frozenset(content_stems(match.group(2)))
        if one - other and other - one:
            return one - other, other - one
    return None


_STATED = 0.55
_SIDES = (
    re.compile(r"\bbetween (.+) and (.+)", re.IGNORECASE),
    re.compile(r"\b(?:does|do|did|is|are|was|were|has|have)\s+(.+?)\s+than\s+(.+)", re.IGNORECASE),
    re.compile(r"\bratio of (.+?) (?:to|over|and|versus|vs\.?) (.+)", re.IGNORECASE),
    re.compile(r"\bof (.+?) (?:over|versus|vs\.?|compared (?:to|with)) (.+)", re.IGNORECASE),
)
_TRIED = 8


def _best_pair(
    form: QuestionForm, evidence: Evidence, one: frozenset[str], other: frozenset[str]
) -> tuple[Candidate, Candidate] | None:
    asked = replace(form, unit=None, unit_stems=frozenset()) if form.operation == "ratio" else form
    firsts = number_candidates(asked, _focused(evidence, one, other))[:_TRIED]
    seconds = number_candidates(asked, _focused(evidence, other, one))[:_TRIED]
    pairs = [
        (first, second)
        for first in firsts
        for second in seconds
        if _comparable(first, second) and _names(first, one) and _names(second, other)
    ]
    return max(pairs, key=lambda pair: pair[0].score + pair[1].score, default=None)


def _focused(evidence: Evidence, wanted: frozenset[str], unwanted: frozenset[str]) -> Evidence:
    weights = {
        stem: weight * (2.0 if stem in wanted else 1.0)
        for stem, weight in evidence.stem_to_weight.items()
        if stem not in unwanted
    }
    whole = sum(weights.values()) or 1.0
    return replace(evidence, stem_to_weight={stem: weight / whole for stem, weight in weights.items()})


def _comparable(first: Candidate, second: Candidate) -> bool:
    is_range = first.low != first.high or second.low != second.high
    if is_range or first.low == second.low or 0 in (first.low, second.low):
        return False
    one, other = first.quantity.unit, second.quantity.unit
    return one == other if one is None or other is None else one.measure == other.measure


def _names(candidate: Candidate, side: frozenset[str]) -> bool:
    return not side.isdisjoint(candidate.sentence.stems)


def _computed(form: QuestionForm, one: Candidate, other: Candidate) -> float:
    low, high = sorted((_in_base(form, one), _in_base(form, other)))
    return high / low if form.operation == "ratio" else float(f"{high - low:.10g}")


def _in_base(form: QuestionForm, candidate: Candidate) -> float:
    unit = candidate.quantity.unit
    return candidate.low * unit.factor if form.operation == "ratio" and unit is not None else candidate.low
