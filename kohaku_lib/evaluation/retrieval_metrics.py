"""Whether retrieval found the right documents, and the gold evidence, without asking any model."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pyarrow as pa

from kohaku_lib.evaluation.evidence import evidence_recall, gold_documents, is_quoted
from kohaku_lib.evaluation.statistics import bootstrap_interval
from kohaku_lib.tables import RETRIEVAL_SCORES, StageReport, empty_table

CUTOFFS = (1, 3, 5, 10)
BUDGETS_CHARS = (4000, 16000)


def score_retrieval(contexts: pa.Table, questions: pa.Table) -> tuple[pa.Table, StageReport]:
    """Return RETRIEVAL_SCORES for the questions whose truth names documents; none gives an empty table.

    document_recall@1/3/5/10, mrr and ndcg@10 count documents in the order of their first match; a question
    without a context scores 0. evidence_recall@4000/@16000 is counted where truth holds a quote and there is a
    context. The report's metrics are the means, with "<metric>/low" and "/high" of the 95 % bootstrap interval
    and "<metric>/n".
    """
    context_by_id = {row["id"]: row for row in contexts.to_pylist()}
    rows = [
        {"id": question["id"], "metric": metric, "value": value}
        for question in questions.to_pylist()
        for metric, value in _question_scores(_truth(question), context_by_id.get(question["id"])).items()
    ]
    if not rows:
        return empty_table(RETRIEVAL_SCORES), StageReport(0)
    return pa.Table.from_pylist(rows, schema=RETRIEVAL_SCORES), StageReport(len(rows), metrics=_means(rows))


def ranked_documents(context: Mapping[str, Any]) -> list[str]:
    """Return the documents of a context's matches, lower case, in the order of their first match.

    >>> ranked_documents({"matches": [{"document_id": "B"}, {"document_id": "a"}, {"document_id": "b"}]})
    ['b', 'a']
    """
    return list(dict.fromkeys(match["document_id"].lower() for match in context["matches"]))


def document_scores(gold: set[str], ranked: Sequence[str]) -> dict[str, float]:
    """Return recall@1/3/5/10, the reciprocal rank of the first gold document, and nDCG@10 with binary gains.

    >>> scores = document_scores({"a", "b"}, ["x", "a", "y", "b"])
    >>> scores["document_recall@3"], scores["mrr"], round(scores["ndcg@10"], 4)
    (0.5, 0.5, 0.6509)
    """
    recalls = {f"document_recall@{k}": len(gold & set(ranked[:k])) / len(gold) for k in CUTOFFS}
    ranks = [rank for rank, document in enumerate(ranked, start=1) if document in gold]
    gain = _discounted(rank for rank in ranks if rank <= 10)
    ideal = _discounted(range(1, min(len(gold), 10) + 1))
    return recalls | {"mrr": 1 / ranks[0] if ranks else 0.0, "ndcg@10": gain / ideal}


def _question_scores(truth: Mapping[str, str], context: Mapping[str, Any] | None) -> dict[str, float]:
    gold = gold_documents(truth)
    if not gold:
        return {}
    scores = document_scores(gold, ranked_documents(context) if context else [])
    if context is None or not is_quoted(truth):
        return scores
    texts = [snippet["text"] for snippet in context["snippets"]]
    for budget in BUDGETS_CHARS:
        recall = evidence_recall(truth.get("supporting_materials", ""), texts, budget)
        if recall is not None:
            scores[f"evidence_recall@{budget}"] = recall
    return scores


def _truth(question: Mapping[str, Any]) -> dict[str, str]:
    return {name: str(cell or "") for name, cell in json.loads(question["row_json"]).items()}


def _discounted(ranks: Iterable[int]) -> float:
    return sum(1 / math.log2(rank + 1) for rank in ranks)


def _means(rows: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    values_by_metric: dict[str, list[float]] = {}
    for row in rows:
        values_by_metric.setdefault(row["metric"], []).append(row["value"])
    figures: dict[str, float] = {}
    for metric, values in values_by_metric.items():
        interval = bootstrap_interval(values)
        figures |= {metric: sum(values) / len(values), f"{metric}/n": float(len(values))}
        bounds = {f"{metric}/low": interval.low, f"{metric}/high": interval.high}
        figures |= {name: bound for name, bound in bounds.items() if bound is not None}
    return figures
