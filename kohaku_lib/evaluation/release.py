"""The release gate: compares the scores of a new index with those of the published one on the same questions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from kohaku_lib.digests import text_sha256
from kohaku_lib.errors import InputFileError
from kohaku_lib.evaluation.metrics.retrieval_summary import RetrievalDifference, compare_scores
from kohaku_lib.evaluation.metrics.score_answers import ENSEMBLE
from kohaku_lib.tables import RETRIEVAL_SCORES


def release_scores(retrieval: pa.Table, scores: pa.Table, questions: pa.Table) -> pa.Table:
    """Return the release scores of an index (RETRIEVAL_SCORES): retrieval metrics and the ensemble score per metric.

    `retrieval` is RETRIEVAL_SCORES, `scores` SCORES. Row ids combine the question id with a digest of its row in the
    file, so that a question whose text or truth changed is not compared.
    """
    answers = scores.filter(pc.field("member") == ENSEMBLE)
    columns: dict[str, Any] = {"id": answers["id"], "metric": answers["metric"], "value": answers["score"]}
    columns["cluster"] = pa.nulls(answers.num_rows, pa.string())
    table = pa.concat_tables([retrieval.select(RETRIEVAL_SCORES.names), pa.table(columns, schema=RETRIEVAL_SCORES)])
    # the same questions are asked of both indexes, of which alone the gate decides: every one counts by itself
    table = table.set_column(table.column_names.index("cluster"), "cluster", pa.nulls(table.num_rows, pa.string()))
    rows = zip(questions["id"].to_pylist(), questions["row_json"].to_pylist(), strict=True)
    digests = {name: f"{name} {text_sha256(row)[:16]}" for name, row in rows}
    names = pa.array([digests.get(name, name) for name in table["id"].to_pylist()], pa.string())
    return table.set_column(0, RETRIEVAL_SCORES.field("id"), names)


def worse_than_published(published: pa.Table, new: pa.Table, metrics: Sequence[str], level: float) -> str | None:
    """Return one sentence about the first of `metrics` in which `new` is worse than `published`, else None.

    Both are tables of `release_scores`; a metric is worse if its mean over the shared questions is smaller and the
    p-value of the two-sided paired permutation test is below `level`. Without shared questions nothing is worse.
    """
    try:
        difference_by_metric = {one.metric: one for one in compare_scores(published, new)}
    except InputFileError:  # no question is shared
        return None
    losses = (difference_by_metric[name] for name in metrics if name in difference_by_metric)
    loss = next((one for one in losses if one.difference < 0 and one.p_value < level), None)
    return None if loss is None else _describe_loss(loss)


def _describe_loss(loss: RetrievalDifference) -> str:
    low, high = (
        f"{bound:+.3f}" if bound is not None else "unknown" for bound in (loss.interval.low, loss.interval.high)
    )
    return (
        f"{loss.metric} is {loss.second:.3f}, in the published index {loss.first:.3f}, on the {loss.n} questions that "
        f"both have ({loss.difference:+.3f}, 95 % interval {low} to {high}, p = {loss.p_value:.3g}); "
        "mend it, or publish all the same with release.gate = false"
    )
