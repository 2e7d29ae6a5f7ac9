"""Means of retrieval scores over questions, and paired differences between two runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from kohaku_lib.errors import InputFileError
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

    >>> rows = {"id": ["a", "b"], "metric": ["mrr", "mrr"], "value": [1.0, 0.5]}
    >>> [figure] = summarise(pa.table(rows))
    >>> figure.metric, figure.n, figure.mean
    ('mrr', 2, 0.75)
    """
    chosen_ids = None if ids is None else set(ids)
    values_by_metric = {
        metric: [value for name, value in values.items() if chosen_ids is None or name in chosen_ids]
        for metric, values in _values_by_metric(scores).items()
    }
    return [
        RetrievalFigure(metric, len(values), sum(values) / len(values), bootstrap_interval(values))
        for metric, values in values_by_metric.items()
        if values
    ]


def compare_scores(first: pa.Table, second: pa.Table, seed: int = 0) -> list[RetrievalDifference]:
    """Return the differences of `second` to `first` (both RETRIEVAL_SCORES) in each shared metric.

    Questions are paired by id; unpaired ones are skipped.

    Raises:
        InputFileError: No question and metric is shared.

    >>> ids, metrics = ["a", "b", "c", "d"], ["mrr"] * 4
    >>> first = pa.table({"id": ids, "metric": metrics, "value": [0.5, 0.5, 0.5, 1.0]})
    >>> second = pa.table({"id": ids, "metric": metrics, "value": [1.0, 1.0, 1.0, 1.0]})
    >>> [mrr] = compare_scores(first, second)
    >>> mrr.difference, mrr.p_value
    (0.375, 0.25)
    """
    first_values, second_values = _values_by_metric(first), _values_by_metric(second)
    pairs = {
        metric: _value_pairs(first_values[metric], second_values[metric])
        for metric in first_values
        if metric in second_values
    }
    pairs = {metric: pair for metric, pair in pairs.items() if pair.size}
    if not pairs:
        msg = "Two runs are compared on the questions that both have scored, but they share none; check the files."
        raise InputFileError(msg)
    p_values = [permutation_p_value(pair[1] - pair[0], seed) for pair in pairs.values()]
    holm_p_values = holm_adjusted(p_values)
    return [
        _retrieval_difference(metric, pair, p_value, holm, seed)
        for (metric, pair), p_value, holm in zip(pairs.items(), p_values, holm_p_values, strict=True)
    ]


def _retrieval_difference(metric: str, pair: np.ndarray, p_value: float, holm: float, seed: int) -> RetrievalDifference:
    delta = pair[1] - pair[0]
    first, second = pair.mean(axis=1).tolist()
    interval = bootstrap_interval(delta, seed)
    return RetrievalDifference(
        metric, delta.size, first, second, float(delta.mean()), interval, p_value, holm, detectable_from(delta)
    )


def _value_pairs(first: Mapping[str, float], second: Mapping[str, float]) -> np.ndarray:
    """Return the values of the shared questions, (2, n)."""
    shared_ids = [name for name in first if name in second]
    return np.array([[values[name] for name in shared_ids] for values in (first, second)])


def _values_by_metric(scores: pa.Table) -> dict[str, dict[str, float]]:
    values: dict[str, dict[str, float]] = {}
    columns = (scores.column(name).to_pylist() for name in ("metric", "id", "value"))
    for metric, name, value in zip(*columns, strict=True):
        values.setdefault(metric, {})[name] = value
    return values
