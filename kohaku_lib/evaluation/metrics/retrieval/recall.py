"""Recall of documents among the first ones."""

from __future__ import annotations

from functools import partial

from kohaku_lib.evaluation.metrics.judgements import Judgement
from kohaku_lib.evaluation.metrics.retrieval.interface import RETRIEVAL_METRICS, RankedContext, RetrievalMetric


def score_recall(judgement: Judgement, result: RankedContext, k: int) -> float:
    """Return recall@k: the share of the relevant documents among the first `k`."""
    return len(judgement.gains.keys() & set(result.documents[:k])) / len(judgement.gains)


for order, k in enumerate((1, 3, 5, 10), start=1):
    RETRIEVAL_METRICS.register(RetrievalMetric(f"document_recall@{k}", partial(score_recall, k=k), order))
