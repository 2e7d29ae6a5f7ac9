"""When the snippets hold too little of the question to answer it."""

from __future__ import annotations

from kohaku_lib.answering.extractive.evidence.evidence import Evidence
from kohaku_lib.answering.extractive.finding import Finding
from kohaku_lib.answering.extractive.question.question import QuestionForm


def is_unsupported(form: QuestionForm, evidence: Evidence, finding: Finding) -> bool:
    """Say whether a blank is the better answer than `finding`.

    A name or year of the question that stands in no snippet weighs most, then other words that do not, a quote
    that shares little with the question, and an unsure finding. A claim is right or wrong by even
    chance, so it takes more doubt to leave it blank.
    """
    limit = _CLAIM_LIMIT if form.kind in {"claim", "choice"} else _LIMIT
    return doubt(evidence, finding) > limit


def doubt(evidence: Evidence, finding: Finding) -> float:
    """Return how little the snippets support `finding`: 0 for no doubt, without an upper bound."""
    missing = 1.5 * evidence.missing_names + 0.8 * evidence.missing_words
    needed = 0.45 + 0.15 * max(0, 5 - len(evidence.stem_to_weight))  # the shorter the question, the more of it
    return (
        missing * (1.3 - finding.confidence)
        + max(0.0, min(0.9, needed) - finding.support)
        + 2.0 * max(0.0, 0.45 - finding.confidence)
    )


_LIMIT = 0.33
_CLAIM_LIMIT = 1.2
