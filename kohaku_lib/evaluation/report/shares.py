"""Shares of correctly answered questions by kind of question, with Wilson intervals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from kohaku_lib.evaluation.metrics.evidence import evidence_kinds
from kohaku_lib.evaluation.statistics.intervals import Interval, wilson_interval
from kohaku_lib.values import is_blank, is_claim, parse_value

NO_EVIDENCE, UNANSWERABLE = "not stated", "no answer exists"


@dataclass(frozen=True, slots=True)
class Share:
    """The number of right questions among the `n` questions of a kind."""

    label: str
    right: int
    n: int

    @property
    def share(self) -> float:
        """The share of right questions; 0 without questions."""
        return self.right / self.n if self.n else 0.0

    @property
    def interval(self) -> Interval:
        """The 95 % Wilson interval of the share."""
        return wilson_interval(self.right, self.n)


def shares(labelled: Iterable[tuple[str, bool]]) -> tuple[Share, ...]:
    """Return the share of right questions for each label, most frequent first.

    >>> shares([("number", True), ("claim", True), ("number", False)])
    (Share(label='number', right=1, n=2), Share(label='claim', right=1, n=1))
    """
    counts: dict[str, list[bool]] = {}
    for label, right in labelled:
        counts.setdefault(label, []).append(right)
    by_frequency = sorted(counts.items(), key=lambda item: -len(item[1]))
    return tuple(Share(label, sum(outcomes), len(outcomes)) for label, outcomes in by_frequency)


def answer_kind(question: str, truth_value: str) -> str:
    """Return the kind of the answer: a claim, a number, a range, words, or unanswerable.

    >>> [answer_kind("True or False: it is.", "1"), answer_kind("How many?", "[80,90]"), answer_kind("Who?", "")]
    ['true or false', 'range', 'no answer exists']
    """
    if is_blank(truth_value):
        return UNANSWERABLE
    if is_claim(question):
        return "true or false"
    kind = parse_value(truth_value).kind
    return {"number": "number", "boolean": "number", "range": "range"}.get(kind, "name or words")


def evidence_of(truth: Mapping[str, str]) -> tuple[str, ...]:
    """Return the kinds of evidence of a truth row, or a placeholder if it names none."""
    return evidence_kinds(truth) or (UNANSWERABLE if is_blank(truth.get("answer_value", "")) else NO_EVIDENCE,)
