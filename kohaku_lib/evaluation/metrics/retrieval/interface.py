"""The interface of the metrics of retrieval, whose scores RETRIEVAL_SCORES holds; `release.retrieval_metric` names one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from kohaku_lib.evaluation.metrics.judgements import Judgement
from kohaku_lib.registry import Registry


@dataclass(frozen=True, slots=True)
class RankedContext:
    """The retrieval result of a question: documents in lower case, best first, and the context texts, None if missing."""

    documents: Sequence[str]
    texts: Sequence[str] | None


@dataclass(frozen=True, slots=True)
class RetrievalMetric:
    """A way to score what was retrieved for a question whose truth names documents; None leaves the question out."""

    name: str
    score: Callable[[Judgement, RankedContext], float | None]
    order: int = 100  # in which scores are listed


RETRIEVAL_METRICS: Registry[RetrievalMetric] = Registry(
    "retrieval metric", folder=__package__, entry_points="kohaku.retrieval_metrics"
)
