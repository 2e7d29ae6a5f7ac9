"""The metrics of retrieval, in the order of RETRIEVAL_SCORES; `release.retrieval_metric` names one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from kohaku_lib.registry import Registry, lazy

if TYPE_CHECKING:
    from kohaku_lib.evaluation.metrics.judgements import Judgement
    from kohaku_lib.evaluation.metrics.retrieval_metrics import RankedContext


@dataclass(frozen=True, slots=True)
class RetrievalMetric:
    """A way to score what a question retrieved; None leaves the question out."""

    name: str
    score: Callable[[Judgement, RankedContext], float | None]


RETRIEVAL_METRICS: Registry[RetrievalMetric] = Registry("retrieval metric")

_MODULE = "kohaku_lib.evaluation.metrics.retrieval_metrics"
for _k in (1, 3, 5, 10):
    RETRIEVAL_METRICS.register(RetrievalMetric(f"document_recall@{_k}", partial(lazy(f"{_MODULE}:score_recall"), k=_k)))
RETRIEVAL_METRICS.register(RetrievalMetric("mrr", lazy(f"{_MODULE}:score_reciprocal_rank")))
RETRIEVAL_METRICS.register(RetrievalMetric("ndcg@10", partial(lazy(f"{_MODULE}:score_ndcg"), k=10)))
for _budget in (4000, 16000):
    RETRIEVAL_METRICS.register(
        RetrievalMetric(f"evidence_recall@{_budget}", partial(lazy(f"{_MODULE}:score_evidence"), budget_chars=_budget))
    )
