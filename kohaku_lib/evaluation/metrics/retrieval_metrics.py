"""Scores of retrieval over relevant documents and gold evidence, by every metric; calls no model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import pyarrow as pa

from kohaku_lib.evaluation.metrics.judgements import Judgement, judgement_of, truth_cells
from kohaku_lib.evaluation.metrics.retrieval.interface import RETRIEVAL_METRICS, RankedContext
from kohaku_lib.evaluation.metrics.retrieval_summary import summarise
from kohaku_lib.tables import RETRIEVAL_SCORES, StageReport, empty_table


def score_retrieval(contexts: pa.Table, questions: pa.Table) -> tuple[pa.Table, StageReport]:
    """Return RETRIEVAL_SCORES for the questions whose truth names documents; an empty table if there are none.

    The metrics of the report are the means, the bounds "<metric>/low" and "<metric>/high" of their 95 % bootstrap
    interval, "<metric>/clusters" behind it, and "<metric>/n". See `score_contexts` for the metrics.
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
        {"id": judgement.id, "metric": metric, "value": value, "cluster": judgement.cluster}
        for judgement in judgements
        for metric, value in _question_scores(judgement, context_by_id.get(judgement.id)).items()
    ]
    return pa.Table.from_pylist(rows, schema=RETRIEVAL_SCORES) if rows else empty_table(RETRIEVAL_SCORES)


def ranked_documents(context: Mapping[str, Any]) -> list[str]:
    """Return the documents of a context's matches, lower case, in the order of their first match, or near-copy of one.

    >>> ranked_documents({"matches": [{"document_id": "B", "also_in": ["c"]}, {"document_id": "a"}, {"document_id": "b"}]})
    ['b', 'c', 'a']
    """
    named = ((match["document_id"], *(match.get("also_in") or ())) for match in context["matches"])
    return list(dict.fromkeys(name.lower() for names in named for name in names))


def _question_scores(judgement: Judgement, context: Mapping[str, Any] | None) -> dict[str, float]:
    if not judgement.gains:
        return {}
    result = RankedContext([], None)
    if context is not None:
        result = RankedContext(ranked_documents(context), [snippet["text"] for snippet in context["snippets"]])
    scores = ((metric.name, metric.score(judgement, result)) for metric in RETRIEVAL_METRICS)
    return {name: score for name, score in scores if score is not None}


def _summary_figures(scores: pa.Table) -> dict[str, float]:
    figures: dict[str, float] = {}
    for figure in summarise(scores):
        figures |= {figure.metric: figure.mean, f"{figure.metric}/n": float(figure.n)}
        interval = asdict(figure.interval)
        figures |= {f"{figure.metric}/{name}": value for name, value in interval.items() if value is not None}
    return figures
