"""Whether retrieval found the right documents, and the gold evidence, without asking any model."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pyarrow as pa

from kohaku_lib.evaluation.evidence import evidence_recall
from kohaku_lib.evaluation.judgements import Judgement, judgement_of
from kohaku_lib.evaluation.retrieval_summary import summarise
from kohaku_lib.tables import RETRIEVAL_SCORES, StageReport, empty_table

CUTOFFS = (1, 3, 5, 10)
BUDGETS_CHARS = (4000, 16000)


def score_retrieval(contexts: pa.Table, questions: pa.Table) -> tuple[pa.Table, StageReport]:
    """Return RETRIEVAL_SCORES for the questions whose truth names documents; none gives an empty table.

    The report's metrics are the means, with "<metric>/low" and "/high" of the 95 % bootstrap interval and
    "<metric>/n". See `score_contexts` for the metrics.
    """
    table = score_contexts(contexts, [judgement_of(_truth(question)) for question in questions.to_pylist()])
    return table, StageReport(table.num_rows, metrics=_means(table))


def score_contexts(contexts: pa.Table, judgements: Sequence[Judgement]) -> pa.Table:
    """Return RETRIEVAL_SCORES of `contexts` (RETRIEVED_CONTEXT) for the judgements that name documents.

    document_recall@1/3/5/10, mrr and ndcg@10 count documents in the order of their first match; a question
    without a context scores 0. evidence_recall@4000/@16000 is counted where there is a gold quote and a context.
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


def document_scores(
    gains: Mapping[str, float], ranked: Sequence[str], cutoffs: Sequence[int] = CUTOFFS
) -> dict[str, float]:
    """Return recall at each of `cutoffs`, the reciprocal rank of the first relevant document, and nDCG@10.

    Every document of `gains` is relevant; nDCG discounts a gain by log2(rank + 1), as trec_eval does.

    >>> scores = document_scores({"a": 1.0, "b": 1.0}, ["x", "a", "y", "b"])
    >>> scores["document_recall@3"], scores["mrr"], round(scores["ndcg@10"], 4)
    (0.5, 0.5, 0.6509)
    """
    recalls = {f"document_recall@{k}": len(gains.keys() & set(ranked[:k])) / len(gains) for k in cutoffs}
    first = next((rank for rank, document in enumerate(ranked, start=1) if document in gains), None)
    ideal = _discounted(sorted(gains.values(), reverse=True)[:10])
    gained = _discounted([gains.get(document, 0.0) for document in ranked[:10]])
    return recalls | {"mrr": 1 / first if first else 0.0, "ndcg@10": gained / ideal}


def _question_scores(judgement: Judgement, context: Mapping[str, Any] | None) -> dict[str, float]:
    if not judgement.gains:
        return {}
    scores = document_scores(judgement.gains, ranked_documents(context) if context else [])
    if context is None or judgement.quote is None:
        return scores
    texts = [snippet["text"] for snippet in context["snippets"]]
    for budget in BUDGETS_CHARS:
        recall = evidence_recall(judgement.quote, texts, budget)
        if recall is not None:
            scores[f"evidence_recall@{budget}"] = recall
    return scores


def _truth(question: Mapping[str, Any]) -> dict[str, str]:
    return {name: str(cell or "") for name, cell in json.loads(question["row_json"]).items()}


def _discounted(gains: Iterable[float]) -> float:
    return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, start=1))


def _means(scores: pa.Table) -> dict[str, float]:
    figures: dict[str, float] = {}
    for figure in summarise(scores):
        figures |= {figure.metric: figure.mean, f"{figure.metric}/n": float(figure.n)}
        bounds = {f"{figure.metric}/low": figure.interval.low, f"{figure.metric}/high": figure.interval.high}
        figures |= {name: bound for name, bound in bounds.items() if bound is not None}
    return figures
