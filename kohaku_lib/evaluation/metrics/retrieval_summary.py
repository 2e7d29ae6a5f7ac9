"""Means of retrieval scores over questions, and paired differences between two runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from kohaku_lib.errors import InputFileError
from kohaku_lib.evaluation.statistics.clusters import Clusters
from kohaku_lib.evaluation.statistics.comparison import detectable_from, holm_adjusted, permutation_p_value
from kohaku_lib.evaluation.statistics.intervals import Interval, bootstrap_interval


@dataclass(frozen=True, slots=True)
class RetrievalFigure:
    """The mean of one metric over `n` questions with its 95 % bootstrap interval."""

    metric: str
    n: int
    mean: float
    interval: Interval


@dataclass(frozen=True, slots=True)
class RetrievalDifference:
    """The second run minus the first in one metric, over the `n` shared questions.

    `p_value` is that of the two-sided paired permutation test, `holm` the same after Holm's correction over all
    metrics, `detectable` the minimum detectable difference at power 0.8; None for one question.
    """

    metric: str
    n: int
    first: float
    second: float
    difference: float
    interval: Interval
    p_value: float
    holm: float
    detectable: float | None


def summarise(scores: pa.Table, ids: Sequence[str] | None = None) -> list[RetrievalFigure]:
    """Return the mean of each metric of `scores` (RETRIEVAL_SCORES), in their order; `ids` restricts the questions.

    >>> rows = {"id": ["a", "b"], "metric": ["mrr", "mrr"], "value": [1.0, 0.5], "cluster": ["d", "e"]}
    >>> [figure] = summarise(pa.table(rows))
    >>> figure.metric, figure.n, figure.mean
    ('mrr', 2, 0.75)
    """
    chosen_ids, clusters = None if ids is None else set(ids), _clusters(scores)
    values_by_metric = {
        metric: {name: value for name, value in values.items() if chosen_ids is None or name in chosen_ids}
        for metric, values in _values_by_metric(scores).items()
    }
    return [
        RetrievalFigure(
            metric,
            len(values),
            sum(values.values()) / len(values),
            bootstrap_interval(list(values.values()), [clusters[name] for name in values]),
        )
        for metric, values in values_by_metric.items()
        if values
    ]


def compare_scores(first: pa.Table, second: pa.Table, seed: int = 0) -> list[RetrievalDifference]:
    """Return the differences of `second` to `first` (both RETRIEVAL_SCORES) in each shared metric.

    Questions are paired by id; unpaired ones are skipped. Their clusters are those of `second`.

    Raises:
        InputFileError: No question and metric is shared.

    >>> ids, metrics = ["a", "b", "c", "d"], ["mrr"] * 4
    >>> first = pa.table({"id": ids, "metric": metrics, "value": [0.5, 0.5, 0.5, 1.0]})
    >>> second = pa.table({"id": ids, "metric": metrics, "value": [1.0, 1.0, 1.0, 1.0], "cluster": ids})
    >>> [mrr] = compare_scores(first, second)
    >>> mrr.difference, mrr.p_value
    (0.375, 0.25)
    """
    paired = paired_scores(first, second)
    if not paired:
        msg = "Two runs are compared on the questions that both have scored, but they share none; check the files."
        raise InputFileError(msg)
    p_values = [permutation_p_value(pair[1] - pair[0], clusters, seed) for pair, clusters in paired.values()]
    holm_p_values = holm_adjusted(p_values)
    return [
        _retrieval_difference(metric, pair, clusters, p_value, holm, seed)
        for (metric, (pair, clusters)), p_value, holm in zip(paired.items(), p_values, holm_p_values, strict=True)
    ]


def paired_scores(first: pa.Table, second: pa.Table) -> dict[str, tuple[np.ndarray, list[str | None]]]:
    """Return by shared metric the scores of the shared questions, (2, n), and the cluster of each in `second`."""
    first_values, second_values = _values_by_metric(first), _values_by_metric(second)
    clusters = _clusters(second)
    shared_ids = {
        metric: ids
        for metric, values in first_values.items()
        if (ids := [name for name in values if name in second_values.get(metric, {})])
    }
    return {
        metric: (
            np.array([[values[metric][name] for name in ids] for values in (first_values, second_values)]),
            [clusters[name] for name in ids],
        )
        for metric, ids in shared_ids.items()
    }


def _retrieval_difference(
    metric: str, pair: np.ndarray, clusters: Clusters, p_value: float, holm: float, seed: int
) -> RetrievalDifference:
    delta = pair[1] - pair[0]
    first, second = pair.mean(axis=1).tolist()
    interval, detectable = bootstrap_interval(delta, clusters, seed), detectable_from(delta, clusters)
    return RetrievalDifference(
        metric, delta.size, first, second, float(delta.mean()), interval, p_value, holm, detectable
    )


def _clusters(scores: pa.Table) -> dict[str, str | None]:
    return dict(zip(scores["id"].to_pylist(), scores["cluster"].to_pylist(), strict=True))


def _values_by_metric(scores: pa.Table) -> dict[str, dict[str, float]]:
    values: dict[str, dict[str, float]] = {}
    columns = (scores.column(name).to_pylist() for name in ("metric", "id", "value"))
    for metric, name, value in zip(*columns, strict=True):
        values.setdefault(metric, {})[name] = value
    return values
