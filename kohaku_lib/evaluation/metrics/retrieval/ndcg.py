"""The normalised discounted cumulative gain of documents."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import partial

from kohaku_lib.evaluation.metrics.judgements import Judgement
from kohaku_lib.evaluation.metrics.retrieval.interface import RETRIEVAL_METRICS, RankedContext, RetrievalMetric


def score_ndcg(judgement: Judgement, result: RankedContext, k: int) -> float:
    """Return the normalised discounted cumulative gain of the first `k`: gains over log2(rank + 1), as in trec_eval.

    Example:
        >>> ranking = RankedContext(["x", "a", "y", "b"], None)
        >>> round(score_ndcg(Judgement("q1", "?", {"a": 1.0, "b": 1.0}), ranking, 10), 4)
        0.6509

    """
    ideal = _discounted_gain(sorted(judgement.gains.values(), reverse=True)[:k])
    return _discounted_gain([judgement.gains.get(document, 0.0) for document in result.documents[:k]]) / ideal


def _discounted_gain(gains: Iterable[float]) -> float:
    return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, start=1))


RETRIEVAL_METRICS.register(RetrievalMetric("ndcg@10", partial(score_ndcg, k=10), order=6))
