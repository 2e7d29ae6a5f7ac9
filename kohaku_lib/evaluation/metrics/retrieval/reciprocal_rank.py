"""The reciprocal rank of the first relevant document."""

from __future__ import annotations

import math

from kohaku_lib.evaluation.metrics.judgements import Judgement
from kohaku_lib.evaluation.metrics.retrieval.interface import RETRIEVAL_METRICS, RankedContext, RetrievalMetric


def score_reciprocal_rank(judgement: Judgement, result: RankedContext) -> float:
    """Return 1 / rank of the first relevant document, 0 if none was retrieved."""
    ranks = (rank for rank, document in enumerate(result.documents, start=1) if document in judgement.gains)
    return 1 / next(ranks, math.inf)


RETRIEVAL_METRICS.register(RetrievalMetric("mrr", score_reciprocal_rank, order=5))
