"""The release gate: compares the scores of a new index with those of the published one on the same questions."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kohaku_lib.digests import text_sha256
from kohaku_lib.errors import InputFileError
from kohaku_lib.evaluation.metrics.evidence import cluster_of
from kohaku_lib.evaluation.metrics.retrieval_summary import RetrievalDifference, compare_scores, paired_scores
from kohaku_lib.evaluation.metrics.score_answers import ENSEMBLE
from kohaku_lib.evaluation.statistics.clusters import Clusters
from kohaku_lib.evaluation.statistics.comparison import permutation_p_value
from kohaku_lib.tables import RETRIEVAL_SCORES

LEAST_DOCUMENTS = 12.0  # of effect: with fewer, a test by documents finds next to nothing
LEAST_KEPT = 0.5  # of the published mean, with fewer documents
_HALVINGS = 12


@dataclass(frozen=True, slots=True)
class GateVerdict:
    """What the gate says of an index: whether it is refused, whether it is doubtful, and one sentence with the figures."""

    sentence: str
    is_refused: bool = False
    is_doubtful: bool = False
    figures: Mapping[str, float] = field(default_factory=dict)


def release_scores(retrieval: pa.Table, scores: pa.Table, questions: pa.Table) -> pa.Table:
    """Return the release scores of an index (RETRIEVAL_SCORES): retrieval metrics and the ensemble score per metric.

    `retrieval` is RETRIEVAL_SCORES, `scores` SCORES. Row ids combine the question id with a digest of its row in the
    file, so that a question whose text or truth changed is not compared. The cluster is the document of its truth.
    """
    answers = scores.filter(pc.field("member") == ENSEMBLE)
    columns: dict[str, Any] = {"id": answers["id"], "metric": answers["metric"], "value": answers["score"]}
    columns["cluster"] = pa.nulls(answers.num_rows, pa.string())
    table = pa.concat_tables([retrieval.select(RETRIEVAL_SCORES.names), pa.table(columns, schema=RETRIEVAL_SCORES)])
    rows = zip(questions["id"].to_pylist(), questions["row_json"].to_pylist(), strict=True)
    about = {name: (f"{name} {text_sha256(row)[:16]}", cluster_of(json.loads(row))) for name, row in rows}
    told = [about.get(name, (name, None)) for name in table["id"].to_pylist()]
    columns = table.to_pydict() | {"id": [name for name, _ in told], "cluster": [cluster for _, cluster in told]}
    return pa.table(columns, schema=RETRIEVAL_SCORES)


def judge_release(published: pa.Table, new: pa.Table, metric: str, level: float) -> GateVerdict | None:
    """Return the verdict on `new` beside `published`, both of `release_scores`; None where they share no question.

    It is refused where the mean over the shared questions is smaller and the two-sided paired permutation test, which swaps
    whole documents, finds p < `level`. With fewer than 12 documents of effect (Kish) it is doubtful where that test by
    questions does, and refused only where less than half of the published mean is left.
    """
    try:
        loss = next((one for one in compare_scores(published, new) if one.metric == metric), None)
    except InputFileError:
        return None
    if loss is None:
        return None
    pair, clusters = paired_scores(published, new)[metric]
    delta = pair[1] - pair[0]
    documents = loss.interval.clusters or 0.0
    is_judged_by_documents = documents >= LEAST_DOCUMENTS
    p_value = loss.p_value if is_judged_by_documents else permutation_p_value(delta)
    is_worse = loss.difference < 0 and p_value < level
    is_refused = is_worse and (is_judged_by_documents or loss.second < LEAST_KEPT * loss.first)
    limit = _least_passing(loss, delta, clusters, level) if is_judged_by_documents else LEAST_KEPT * loss.first
    figures = {
        "published": loss.first,
        "new": loss.second,
        "questions": loss.n,
        "documents of effect": documents,
        "p": p_value,
        "passes from": limit,
    }
    if loss.detectable is not None:
        figures["difference that can be seen"] = loss.detectable
    return GateVerdict(
        _sentence(loss, clusters, p_value, limit, is_refused=is_refused, is_worse=is_worse),
        is_refused,
        is_worse and not is_refused,
        figures,
    )


def _least_passing(loss: RetrievalDifference, delta: np.ndarray, clusters: Clusters, level: float) -> float:
    """Return the least new mean that would pass: that of the differences moved together until they do."""
    refused, passing = -1.0, 0.0  # mean differences
    for _ in range(_HALVINGS):
        middle = (refused + passing) / 2
        is_passing = permutation_p_value(delta - delta.mean() + middle, clusters) >= level
        refused, passing = (refused, middle) if is_passing else (middle, passing)
    limit = loss.first + passing
    return min(limit, loss.second) if loss.p_value >= level else limit


def _sentence(
    loss: RetrievalDifference, clusters: Clusters, p_value: float, limit: float, *, is_refused: bool, is_worse: bool
) -> str:
    documents = len({cluster or place for place, cluster in enumerate(clusters)})
    seen = "" if loss.detectable is None else f"; a difference of {loss.detectable:.3f} can be seen with so many"
    figures = (
        f"{loss.metric} is {loss.second:.3f}, in the published index {loss.first:.3f}, on the {loss.n} questions of "
        f"{documents} documents that both have ({loss.difference:+.3f}, 95 % interval {loss.interval.text(signed=True)} of "
        f"effect, p = {p_value:.3g}){seen}"
    )
    if is_refused:
        return f"{figures}; it passes from {limit:.3f} on: mend it, or publish all the same with release.gate = false"
    if is_worse:
        return (
            f"{figures}; with fewer than {LEAST_DOCUMENTS:.0f} documents of effect a loss refuses an index only below "
            f"{limit:.3f}: look at what changed"
        )
    return f"{figures}; below {limit:.3f} it would be refused"
