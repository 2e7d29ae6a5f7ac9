"""Paired comparison of two runs on the same questions: differences, intervals, significance."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import NormalDist

import numpy as np

from kohaku_lib.errors import InputFileError
from kohaku_lib.evaluation.metrics.answers.interface import ANSWER_METRICS
from kohaku_lib.evaluation.metrics.scoring import RowScore, ScoreReport, score_rows
from kohaku_lib.evaluation.statistics.clusters import Clusters, resampling_units
from kohaku_lib.evaluation.statistics.intervals import Interval, bootstrap_interval

PARTS = ("score", "value", "ref", "na")
_EXACT_UP_TO = 16  # clusters that differ: 65,536 ways to swap them
_SWAPS = 20_000
_NO_VARIANCE = 1e-18  # what rounding leaves of none


@dataclass(frozen=True, slots=True)
class Difference:
    """The second run minus the first in one part of one metric, over `n` paired questions.

    `interval` is the 95 % paired bootstrap interval of the mean difference, `p_value` that of the two-sided paired
    permutation test, both by whole clusters, `detectable` the minimum detectable mean difference at power 0.8 for `n`
    questions with this spread, `detectable_at` that for other numbers of questions, as many about each document;
    None, or empty, for fewer than two questions and where no question differs from another.
    """

    metric: str
    part: str
    n: int
    first: float
    second: float
    difference: float
    interval: Interval
    p_value: float
    detectable: float | None
    detectable_at: Mapping[int, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Flip:
    """A question whose score by `metric` differs between the runs."""

    id: str
    metric: str
    first_value: str
    second_value: str
    first_score: float
    second_score: float


@dataclass(frozen=True, slots=True)
class RunComparison:
    """All differences between two runs, the questions that flipped, and the ids that only one of them answers."""

    differences: tuple[Difference, ...]
    flips: tuple[Flip, ...]
    unpaired: tuple[str, ...]


def compare_runs(
    truth: Sequence[Mapping[str, str]],
    first: Sequence[Mapping[str, str]],
    second: Sequence[Mapping[str, str]],
    metrics: Sequence[str] | None = None,
    seed: int = 0,
    sizes: Sequence[int] = (),
) -> RunComparison:
    """Return the differences of `second` to `first` on the questions of `truth` that both answer.

    `sizes` are the numbers of questions of `detectable_at`. The parts are compared row by row, so a row that a metric
    excludes from its NA mean counts there as right.

    Raises:
        InputFileError: The runs share no question, or `score_rows` raises it.

    >>> truth = [{"id": f"q{i}", "answer_value": "1", "ref_id": "['a']"} for i in range(4)]
    >>> wrong = [{**row, "answer_value": "2"} for row in truth]
    >>> score = compare_runs(truth, wrong, truth, ["wattbot"]).differences[0]
    >>> score.part, score.difference, score.p_value
    ('score', 0.75, 0.125)
    """
    shared_ids = _shared_ids(truth, first, second)
    paired_truth = [row for row in truth if row["id"] in shared_ids]
    differences: list[Difference] = []
    flips: list[Flip] = []
    for metric in metrics or ANSWER_METRICS.names():
        reports = score_rows(paired_truth, first, metric, seed), score_rows(paired_truth, second, metric, seed)
        differences.extend(_paired_difference(metric, part, reports, seed, sizes) for part in PARTS)
        flips.extend(_score_flips(metric, reports, first, second))
    unpaired_ids = {row["id"] for row in first} ^ {row["id"] for row in second}
    unpaired = tuple(row["id"] for row in truth if row["id"] in unpaired_ids)
    return RunComparison(tuple(differences), tuple(flips), unpaired)


def permutation_p_value(differences: np.ndarray, clusters: Clusters | None = None, seed: int = 0) -> float:
    """Return the two-sided p-value of the mean of paired `differences`, (n,), under random swaps of whole clusters.

    Without `clusters` each pair is one. The test is exact if the sums of at most 16 clusters are not zero; else it uses
    20,000 random swaps and includes the observed one, so that the value is never 0 (Phipson and Smyth 2010,
    https://doi.org/10.2202/1544-6115.1585).

    >>> differences = np.array([1.0, 1.0, 1.0, 0.0])
    >>> permutation_p_value(differences), permutation_p_value(differences, ["a", "a", "b", "b"])
    (0.25, 0.5)
    """
    sums = _cluster_sums(differences, clusters)
    nonzero = sums[sums != 0]
    if not nonzero.size:
        return 1.0
    # Sums that differ by rounding only count as equally extreme.
    observed = abs(nonzero.sum()) - 1e-12 * np.abs(nonzero).sum()
    if nonzero.size <= _EXACT_UP_TO:
        ways = np.arange(2**nonzero.size)[:, None] >> np.arange(nonzero.size) & 1
        return float(np.mean(np.abs((1 - 2 * ways) @ nonzero) >= observed))
    signs = np.random.default_rng(seed).integers(0, 2, (_SWAPS, nonzero.size), dtype=np.int8)
    extreme = np.count_nonzero(np.abs((1.0 - 2.0 * signs) @ nonzero) >= observed)
    return float((extreme + 1) / (_SWAPS + 1))


def detectable_difference(deviation: float, n: int, power: float = 0.8, level: float = 0.05) -> float:
    """Return the minimum true mean difference that a two-sided paired test over `n` questions detects with `power`.

    `deviation` is the standard deviation of the paired differences; the normal approximation
    (z₁₋α⸝₂ + z₁₋β) · s / √n of a paired comparison.

    >>> round(detectable_difference(0.4, 41), 3), round(detectable_difference(0.4, 282), 3)
    (0.175, 0.067)
    """
    normal = NormalDist()
    return (normal.inv_cdf(1 - level / 2) + normal.inv_cdf(power)) * deviation / math.sqrt(n)


def detectable_from(differences: np.ndarray, clusters: Clusters | None = None) -> float | None:
    """Return the `detectable_difference` for the number and the spread of `differences`, (n,).

    None if `spread_of` is: without a spread nothing is known of it.

    >>> round(detectable_from(np.array([0.0, 1.0, 0.0, 1.0])), 3), detectable_from(np.array([1.0]))
    (0.809, None)
    """
    spread = spread_of(differences, clusters)
    return None if spread is None else detectable_difference(spread, differences.size)


def spread_of(differences: np.ndarray, clusters: Clusters | None = None) -> float | None:
    """Return the standard deviation of `differences`, (n,), that their mean would have √n times as independent ones.

    Without `clusters`, or with one difference in each, it is their own. None for fewer than two differences, and if no
    cluster differs from another.

    >>> differences = np.array([0.0, 0.0, 1.0, 1.0])
    >>> round(spread_of(differences), 3), round(spread_of(differences, ["a", "a", "b", "b"]), 3)
    (0.577, 1.0)
    """
    if differences.size < 2:
        return None
    residuals = _cluster_sums(differences - differences.mean(), clusters)
    variance = (residuals**2).sum() / differences.size * residuals.size / (residuals.size - 1)
    return math.sqrt(variance) if variance > _NO_VARIANCE else None


def holm_adjusted(p_values: Sequence[float]) -> list[float]:
    """Return `p_values` after Holm's step-down correction, in their order.

    Holm (1979), https://www.jstor.org/stable/4615733

    >>> [round(value, 6) for value in holm_adjusted([0.01, 0.04, 0.03])]
    [0.03, 0.06, 0.06]
    """
    adjusted = [1.0] * len(p_values)
    largest = 0.0
    for rank, index in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[index]))
        adjusted[index] = largest
    return adjusted


def holm_by_metric(comparisons: Sequence[RunComparison]) -> list[dict[str, float]]:
    """Return the p-value of the score in each of `comparisons` by metric, Holm-corrected over the comparisons.

    All comparisons must have the same metrics.

    >>> truth = [{"id": f"q{i}", "answer_value": "1", "ref_id": "['a']"} for i in range(4)]
    >>> wrong = [{**row, "answer_value": "2"} for row in truth]
    >>> holm_by_metric([compare_runs(truth, wrong, rows, ["wattbot"]) for rows in (truth, wrong)])
    [{'wattbot': 0.25}, {'wattbot': 1.0}]
    """
    scores = [[d for d in comparison.differences if d.part == "score"] for comparison in comparisons]
    columns = [holm_adjusted([d.p_value for d in column]) for column in zip(*scores, strict=True)]
    return [
        {d.metric: p_value for d, p_value in zip(row, p_values, strict=True)}
        for row, p_values in zip(scores, zip(*columns, strict=True), strict=True)
    ]


def _shared_ids(
    truth: Sequence[Mapping[str, str]], first: Sequence[Mapping[str, str]], second: Sequence[Mapping[str, str]]
) -> set[str]:
    shared_ids = {row.get("id", "") for row in truth}
    for rows in (first, second):
        shared_ids &= {row.get("id", "") for row in rows}
    if not shared_ids:
        msg = "Two runs are compared on the questions of the truth that both answer, but they share no id; check the files."
        raise InputFileError(msg)
    return shared_ids


def _cluster_sums(values: np.ndarray, clusters: Clusters | None) -> np.ndarray:
    return values if clusters is None else np.bincount(resampling_units(clusters), weights=values)


def _paired_difference(
    metric: str, part: str, reports: tuple[ScoreReport, ScoreReport], seed: int, sizes: Sequence[int]
) -> Difference:
    first, second = (np.array([_part_score(row, part) for row in report.rows]) for report in reports)
    delta, clusters = second - first, [row.cluster for row in reports[0].rows]
    spread = spread_of(delta, clusters)
    return Difference(
        metric,
        part,
        delta.size,
        float(first.mean()),
        float(second.mean()),
        float(delta.mean()),
        bootstrap_interval(delta, clusters, seed),
        permutation_p_value(delta, clusters, seed),
        detectable_from(delta, clusters),
        {} if spread is None else {size: detectable_difference(spread, size) for size in sizes},
    )


def _part_score(row: RowScore, part: str) -> float:
    value = getattr(row, part)
    return 1.0 if value is None else float(value)


def _score_flips(
    metric: str,
    reports: tuple[ScoreReport, ScoreReport],
    first: Sequence[Mapping[str, str]],
    second: Sequence[Mapping[str, str]],
) -> list[Flip]:
    values = [{row["id"]: row.get("answer_value", "") for row in rows} for rows in (first, second)]
    pairs = zip(reports[0].rows, reports[1].rows, strict=True)
    return [
        Flip(a.id, metric, values[0][a.id], values[1][a.id], a.score, b.score) for a, b in pairs if a.score != b.score
    ]
