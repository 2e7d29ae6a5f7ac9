"""Coverage-risk curves: the share of wrong answers as a function of the share of questions answered."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from kohaku_lib.evaluation.statistics.clusters import Clusters
from kohaku_lib.evaluation.statistics.intervals import Interval, resampled_interval

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
    https://arxiv.org/abs/1705.08500), its `interval` a 95 % bootstrap by document; `best_area` is that of an oracle
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


def risk_curve(
    confidences: Sequence[float],
    right: Sequence[bool],
    questions: int | None = None,
    clusters: Clusters | None = None,
) -> RiskCurve:
    """Return the coverage-risk curve of answers with these `confidences` (any scale, higher is more confident).

    `questions` is the number of questions including blank ones; by default that of the answers. Answers of equal
    confidence form one point, and the area uses their mean. Without `clusters` the answers are independent; without
    answers the curve is empty and its area 0.

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
    if not order.size:
        return RiskCurve((), 0.0, Interval(None, None), 0.0, None, Interval(None, None))
    groups = np.unique(-sorted_confidences, return_inverse=True)[1]
    own = [None if clusters is None else clusters[place] for place in order]
    areas, separations = partial(_risk_areas, groups, wrong), partial(_separation_probabilities, groups, wrong)
    once = np.ones((1, order.size))
    separation = float(separations(once)[0])
    is_known = not math.isnan(separation)
    return RiskCurve(
        points,
        float(areas(once)[0]),
        resampled_interval(areas, own, resamples=_RESAMPLES),
        float(_risk_areas(np.sort(wrong).astype(int), np.sort(wrong), once)[0]),
        separation if is_known else None,
        resampled_interval(separations, own, resamples=_RESAMPLES) if is_known else Interval(None, None),
    )


def _risk_areas(groups: np.ndarray, wrong: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Return the mean risk over the first 1, 2, … answers, (resamples,); row i draws answer j `counts[i, j]` times.

    `groups` are the ascending group numbers of answers of equal confidence, most confident first, (n,).
    """
    ends, wrongs = (_by_group(groups, part).cumsum(axis=1) for part in (counts, counts * wrong))
    starts, wrongs_before = (np.pad(part, ((0, 0), (1, 0)))[:, :-1] for part in (ends, wrongs))
    # Of the first k answers, from start to end of a group, before + (k - start) · mean are wrong: summed over k of the
    # risk, that is (end - start) · mean, and before - start · mean times the sum of 1 / k.
    means = (wrongs - wrongs_before) / np.maximum(ends - starts, 1.0)
    harmonic = np.concatenate([[0.0], np.cumsum(1.0 / np.arange(1, int(ends.max()) + 1))])
    reciprocals = harmonic[ends.astype(int)] - harmonic[starts.astype(int)]
    return ((ends - starts) * means + (wrongs_before - starts * means) * reciprocals).sum(axis=1) / ends[:, -1]


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
