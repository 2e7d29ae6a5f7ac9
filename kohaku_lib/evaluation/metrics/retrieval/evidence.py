"""Recall of the gold quote in the first characters of the context."""

from __future__ import annotations

from functools import partial

from kohaku_lib.evaluation.metrics.evidence import evidence_recall
from kohaku_lib.evaluation.metrics.judgements import Judgement
from kohaku_lib.evaluation.metrics.retrieval.interface import RETRIEVAL_METRICS, RankedContext, RetrievalMetric


def score_evidence(judgement: Judgement, result: RankedContext, budget_chars: int) -> float | None:
    """Return the share of the gold quote in the first characters of the context; None without a quote or a context."""
    if result.texts is None or judgement.quote is None:
        return None
    return evidence_recall(judgement.quote, result.texts, budget_chars)


for order, budget_chars in enumerate((4000, 16000), start=7):
    name = f"evidence_recall@{budget_chars}"
    RETRIEVAL_METRICS.register(RetrievalMetric(name, partial(score_evidence, budget_chars=budget_chars), order))
