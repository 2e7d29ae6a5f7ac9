"""The contract of metrics of retrieval."""

from __future__ import annotations

import math

from kohaku_lib.evaluation.metrics.judgements import Judgement
from kohaku_lib.evaluation.metrics.retrieval.interface import RankedContext, RetrievalMetric

QUOTE = "the vineyard used 4100 cubic metres of water"
JUDGEMENT = Judgement("q1", "How much water?", {"a": 1.0, "b": 1.0}, QUOTE)
BEST = RankedContext(["a", "b", "c"], [QUOTE])
OTHERS = (
    RankedContext([], None),
    RankedContext(["c", "b", "a"], ["The museum opens at nine."]),
    RankedContext(["c"], []),
)


def check_retrieval_metric(metric: RetrievalMetric) -> None:
    """Fail where `metric` breaks the contract of metrics of retrieval.

    A score is a finite number or None, the same each time; the best ranking has one, which is no less than any other.

    Example:
        >>> from kohaku_lib.evaluation.metrics.retrieval.interface import RETRIEVAL_METRICS
        >>> check_retrieval_metric(RETRIEVAL_METRICS.get("mrr"))

    """
    scores = [metric.score(JUDGEMENT, result) for result in (BEST, *OTHERS)]
    assert [metric.score(JUDGEMENT, result) for result in (BEST, *OTHERS)] == scores, f"{metric.name!r} varies"
    for score in scores:
        assert score is None or math.isfinite(score), f"{metric.name!r} must give a number or None, got {score!r}"
    best, *others = scores
    assert best is not None, f"{metric.name!r} must score a question with documents, quote and context"
    for other in others:
        assert other is None or other <= best, f"{metric.name!r} scores the best ranking {best}, another one {other}"
