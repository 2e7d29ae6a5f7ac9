"""Decide when the snippets cover too little of the question to answer it."""

from __future__ import annotations

from kohaku_lib.answering.extractive.evidence.evidence import Evidence
from kohaku_lib.answering.extractive.finding import Finding
from kohaku_lib.answering.extractive.question.question import QuestionForm


def is_unsupported(form: QuestionForm, evidence: Evidence, finding: Finding) -> bool:
    """Return whether abstaining is better than `finding`.

    Names and years of the question that no snippet contains weigh most, then other missing words, low overlap of the
    quote with the question, and low confidence. Claims and choices have a higher limit, since a guess is often right.
    """
    limit = _CLAIM_LIMIT if form.kind in {"claim", "choice"} else _LIMIT
    return support_deficit(evidence, finding) > limit


def support_deficit(evidence: Evidence, finding: Finding) -> float:
    """Return how weak the support for `finding` is: 0 or more, without an upper bound."""
    missing = 1.5 * evidence.missing_names + 0.8 * evidence.missing_words
    needed = 0.45 + 0.15 * max(0, 5 - len(evidence.stem_to_weight))  # short questions need a larger share
    return (
        missing * (1.3 - finding.confidence)
        + max(0.0, min(0.9, needed) - finding.support)
        + 2.0 * max(0.0, 0.45 - finding.confidence)
    )


_LIMIT = 0.33
_CLAIM_LIMIT = 1.2
