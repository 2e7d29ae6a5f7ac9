"""Coverage-risk curves: the share of wrong answers as a function of the share of questions answered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kohaku_lib.evaluation.statistics.intervals import Interval, percentile_interval, resample_counts

_RESAMPLES = 1000


@dataclass(frozen=True, slots=True)
class RiskPoint:
    """The result of answering only questions with a confidence of at least `threshold`.

    `coverage` is the share of questions that are answered, `risk` the share of wrong answers among them.
    """

    threshold: float
    answered: int
    wrong: int
    coverage: float
    risk: float


@dataclass(frozen=True, slots=True)
class RiskCurve:
    """The points from the most confident answers to all of them, and the areas under the curve.

    `area` is the mean risk over all numbers of answers (AURC, Geifman & El-Yaniv 2017,
    https://arxiv.org/abs/1705.08500), its `interval` a 95 % bootstrap over questions; `best_area` is that of an oracle
    order, which puts every wrong answer last; a random order has the share of wrong answers. `separation` is the
    probability that a right answer has more confidence than a wrong one, ties counted half (AUROC; 0.5: confidence is
    uninformative); None if all answers are right, or all are wrong.
    """

    points: tuple[RiskPoint, ...]
    area: float
    interval: Interval
    best_area: float
    separation: float | None
    separation_interval: Interval

    @property
    def risk(self) -> float:
        """The share of wrong answers at full coverage; 0 without answers."""
        return self.points[-1].risk if self.points else 0.0


def risk_curve(confidences: Sequence[float], right: Sequence[bool], questions: int | None = None) -> RiskCurve:
    """Return the coverage-risk curve of answers with these `confidences` (any scale, higher is more confident).

    `questions` is the number of questions including blank ones; by default that of the answers. Answers of equal
    confidence form one point, and the area uses their mean. Without answers the curve is empty and its area 0.

    >>> curve = risk_curve([0.9, 0.8, 0.4, 0.4], [True, True, False, True], questions=5)
    >>> [(point.coverage, round(point.risk, 2)) for point in curve.points]
    [(0.2, 0.0), (0.4, 0.0), (0.8, 0.25)]
    >>> round(curve.area, 4), round(curve.best_area, 4), round(curve.separation, 3)
    (0.1042, 0.0625, 0.833)
    """
    question_count = questions or len(confidences)
    order = np.argsort(-np.asarray(confidences, dtype=np.float64), kind="stable")
    sorted_confidences = np.asarray(confidences, dtype=np.float64)[order]
    wrong = 1.0 - np.asarray(right, dtype=np.float64)[order]
    ends = [
        place + 1
        for place in range(sorted_confidences.size)
        if place + 1 == sorted_confidences.size or sorted_confidences[place + 1] != sorted_confidences[place]
    ]
    sums = np.cumsum(wrong)
    points = tuple(
        RiskPoint(
            float(sorted_confidences[end - 1]),
            end,
            round(sums[end - 1]),
            end / question_count,
            float(sums[end - 1] / end),
        )
        for end in ends
    )
    counts = (
        np.vstack([np.ones((1, sorted_confidences.size)), resample_counts(sorted_confidences.size, 0, _RESAMPLES)])
        if sorted_confidences.size
        else None
    )
    if counts is None:
        return RiskCurve((), 0.0, Interval(None, None), 0.0, None, Interval(None, None))
    groups = np.unique(-sorted_confidences, return_inverse=True)[1]
    areas, separations = _risk_areas(groups, wrong, counts), _separation_probabilities(groups, wrong, counts)
    is_known = not np.isnan(separations[0])
    return RiskCurve(
        points,
        float(areas[0]),
        percentile_interval(areas[1:]),
        float(_risk_areas(np.sort(wrong).astype(int), np.sort(wrong), counts[:1])[0]),
        float(separations[0]) if is_known else None,
        percentile_interval(separations[1:][~np.isnan(separations[1:])]) if is_known else Interval(None, None),
    )


def _risk_areas(groups: np.ndarray, wrong: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Return the mean risk over the first 1, 2, … n answers, (resamples,); row i draws answer j `counts[i, j]` times.

    `groups` are the ascending group numbers of answers of equal confidence, most confident first, (n,).
    """
    group_sizes = _by_group(groups, counts)
    means = _by_group(groups, counts * wrong) / np.maximum(group_sizes, 1.0)
    resamples, n = counts.shape
    # Every row draws n answers, so the risks of all rows form one matrix.
    risks = np.repeat(means.ravel(), group_sizes.ravel().astype(int)).reshape(resamples, n)
    return (risks.cumsum(axis=1) / np.arange(1, n + 1)).mean(axis=1)


def _separation_probabilities(groups: np.ndarray, wrong: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Return P(right answer more confident than wrong one), ties half, (resamples,); nan if either is missing."""
    wrong_counts = _by_group(groups, counts * wrong)
    right_counts = _by_group(groups, counts) - wrong_counts
    wrong_below = wrong_counts.sum(axis=1, keepdims=True) - wrong_counts.cumsum(axis=1)
    pairs = right_counts.sum(axis=1) * wrong_counts.sum(axis=1)
    ordered = (right_counts * (wrong_below + wrong_counts / 2.0)).sum(axis=1)
    return np.divide(ordered, pairs, out=np.full(len(counts), np.nan), where=pairs > 0)


def _by_group(groups: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Sum `counts`, (resamples, n), over neighbours of the same group, to (resamples, groups)."""
    return np.add.reduceat(counts, np.flatnonzero(np.diff(groups, prepend=-1)), axis=1)
