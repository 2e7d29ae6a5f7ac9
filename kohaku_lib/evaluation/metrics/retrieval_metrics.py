"""Retrieval metrics over relevant documents and gold evidence; calls no model."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from kohaku_lib.evaluation.metrics.evidence import evidence_recall
from kohaku_lib.evaluation.metrics.judgements import Judgement, judgement_of, truth_cells
from kohaku_lib.evaluation.metrics.retrieval_summary import summarise
from kohaku_lib.kinds import RETRIEVAL_METRICS
from kohaku_lib.tables import RETRIEVAL_SCORES, StageReport, empty_table


@dataclass(frozen=True, slots=True)
class RankedContext:
    """The retrieval result of a question: documents in lower case, best first, and the context texts, None if missing."""

    documents: Sequence[str]
    texts: Sequence[str] | None


def score_retrieval(contexts: pa.Table, questions: pa.Table) -> tuple[pa.Table, StageReport]:
    """Return RETRIEVAL_SCORES for the questions whose truth names documents; an empty table if there are none.

    The metrics of the report are the means, the bounds "<metric>/low" and "<metric>/high" of their 95 % bootstrap
    interval, and "<metric>/n". See `score_contexts` for the metrics.
    """
    table = score_contexts(contexts, [judgement_of(truth_cells(question)) for question in questions.to_pylist()])
    return table, StageReport(table.num_rows, metrics=_summary_figures(table))


def score_contexts(contexts: pa.Table, judgements: Sequence[Judgement]) -> pa.Table:
    """Return RETRIEVAL_SCORES of `contexts` (RETRIEVED_CONTEXT) by every metric, for the judgements that name documents.

    Documents are ranked by their first match; a question without a context scores 0 in document metrics. Evidence
    metrics skip questions without a gold quote or a context.
    """
    context_by_id = {row["id"]: row for row in contexts.to_pylist()}
    rows = [
        {"id": judgement.id, "metric": metric, "value": value}
        for judgement in judgements
        for metric, value in _question_scores(judgement, context_by_id.get(judgement.id)).items()
    ]
    return pa.Table.from_pylist(rows, schema=RETRIEVAL_SCORES) if rows else empty_table(RETRIEVAL_SCORES)


def ranked_documents(context: Mapping[str, Any]) -> list[str]:
    """Return the documents of a context's matches, lower case, in the order of their first match.

    >>> ranked_documents({"matches": [{"document_id": "B"}, {"document_id": "a"}, {"document_id": "b"}]})
    ['b', 'a']
    """
    return list(dict.fromkeys(match["document_id"].lower() for match in context["matches"]))


def score_recall(judgement: Judgement, result: RankedContext, k: int) -> float:
    """Return recall@k: the share of the relevant documents among the first `k`."""
    return len(judgement.gains.keys() & set(result.documents[:k])) / len(judgement.gains)


def score_reciprocal_rank(judgement: Judgement, result: RankedContext) -> float:
    """Return 1 / rank of the first relevant document, 0 if none was retrieved."""
    ranks = (rank for rank, document in enumerate(result.documents, start=1) if document in judgement.gains)
    return 1 / next(ranks, math.inf)


def score_ndcg(judgement: Judgement, result: RankedContext, k: int) -> float:
    """Return the normalised discounted cumulative gain of the first `k`: gains over log2(rank + 1), as in trec_eval.

    Example:
        >>> ranking = RankedContext(["x", "a", "y", "b"], None)
        >>> round(score_ndcg(Judgement("q1", "?", {"a": 1.0, "b": 1.0}), ranking, 10), 4)
        0.6509

    """
    ideal = _discounted_gain(sorted(judgement.gains.values(), reverse=True)[:k])
    return _discounted_gain([judgement.gains.get(document, 0.0) for document in result.documents[:k]]) / ideal


def score_evidence(judgement: Judgement, result: RankedContext, budget_chars: int) -> float | None:
    """Return the share of the gold quote in the first characters of the context; None without a quote or a context."""
    if result.texts is None or judgement.quote is None:
        return None
    return evidence_recall(judgement.quote, result.texts, budget_chars)


def _question_scores(judgement: Judgement, context: Mapping[str, Any] | None) -> dict[str, float]:
    if not judgement.gains:
        return {}
    result = RankedContext([], None)
    if context is not None:
        result = RankedContext(ranked_documents(context), [snippet["text"] for snippet in context["snippets"]])
    scores = ((metric.name, metric.score(judgement, result)) for metric in RETRIEVAL_METRICS)
    return {name: score for name, score in scores if score is not None}


def _discounted_gain(gains: Iterable[float]) -> float:
    return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, start=1))


def _summary_figures(scores: pa.Table) -> dict[str, float]:
    figures: dict[str, float] = {}
    for figure in summarise(scores):
        figures |= {figure.metric: figure.mean, f"{figure.metric}/n": float(figure.n)}
        bounds = {f"{figure.metric}/low": figure.interval.low, f"{figure.metric}/high": figure.interval.high}
        figures |= {name: bound for name, bound in bounds.items() if bound is not None}
    return figures
