"""What answering less would gain: the risk of the answers given, by how many of them are given."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kohaku_lib.evaluation.statistics.intervals import Interval, percentile_interval, resample_counts

_RESAMPLES = 1000


@dataclass(frozen=True, slots=True)
class RiskPoint:
    """Answering every question with at least `threshold`: `answered` of them, of which `wrong` are wrong.

    `coverage` is the share of all questions that is answered, `risk` the share of the answers that is wrong.
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
    https://arxiv.org/abs/1705.08500), its `interval` a 95 % bootstrap over questions; `best_area` is that of an order
    which puts every wrong answer last, and the share of wrong answers is that of no order at all. `separation` is how
    often a right answer has more confidence than a wrong one, ties half (0.5: confidence says nothing); None where
    all answers are right, or all wrong.
    """

    points: tuple[RiskPoint, ...]
    area: float
    interval: Interval
    best_area: float
    separation: float | None
    separation_interval: Interval

    @property
    def risk(self) -> float:
        """Return the share of wrong answers where all are given; 0 for none."""
        return self.points[-1].risk if self.points else 0.0


def risk_curve(confidences: Sequence[float], right: Sequence[bool], questions: int | None = None) -> RiskCurve:
    """Return the coverage-risk curve of answers with these `confidences`, any scale, higher is surer.

    `questions` is how many were asked, those left blank included; the answers alone by default. Answers of equal
    confidence come in no order: they are one point, and the area takes their mean. No answer gives an empty curve of
    area 0.

    >>> curve = risk_curve([0.9, 0.8, 0.4, 0.4], [True, True, False, True], questions=5)
    >>> [(point.coverage, round(point.risk, 2)) for point in curve.points]
    [(0.2, 0.0), (0.4, 0.0), (0.8, 0.25)]
    >>> round(curve.area, 4), round(curve.best_area, 4), round(curve.separation, 3)
    (0.1042, 0.0625, 0.833)
    """
    asked = questions or len(confidences)
    order = np.argsort(-np.asarray(confidences, dtype=np.float64), kind="stable")
    sure = np.asarray(confidences, dtype=np.float64)[order]
    wrong = 1.0 - np.asarray(right, dtype=np.float64)[order]
    ends = [place + 1 for place in range(sure.size) if place + 1 == sure.size or sure[place + 1] != sure[place]]
    sums = np.cumsum(wrong)
    points = tuple(
        RiskPoint(float(sure[end - 1]), end, round(sums[end - 1]), end / asked, float(sums[end - 1] / end))
        for end in ends
    )
    counts = np.vstack([np.ones((1, sure.size)), resample_counts(sure.size, 0, _RESAMPLES)]) if sure.size else None
    if counts is None:
        return RiskCurve((), 0.0, Interval(None, None), 0.0, None, Interval(None, None))
    groups = np.unique(-sure, return_inverse=True)[1]
    areas, separations = _areas(groups, wrong, counts), _separations(groups, wrong, counts)
    is_known = not np.isnan(separations[0])
    return RiskCurve(
        points,
        float(areas[0]),
        percentile_interval(areas[1:]),
        float(_areas(np.sort(wrong).astype(int), np.sort(wrong), counts[:1])[0]),
        float(separations[0]) if is_known else None,
        percentile_interval(separations[1:][~np.isnan(separations[1:])]) if is_known else Interval(None, None),
    )


def _areas(groups: np.ndarray, wrong: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """The mean risk over the first 1, 2, … n answers, (resamples,), where row i draws answer j `counts[i, j]` times.

    `groups` number the answers of equal confidence from the surest on, (n,), ascending; they share their mean.
    """
    drawn = _by_group(groups, counts)
    means = _by_group(groups, counts * wrong) / np.maximum(drawn, 1.0)
    resamples, n = counts.shape
    # Every row draws n answers, so that the risks of all rows form one matrix.
    risks = np.repeat(means.ravel(), drawn.ravel().astype(int)).reshape(resamples, n)
    return (risks.cumsum(axis=1) / np.arange(1, n + 1)).mean(axis=1)


def _separations(groups: np.ndarray, wrong: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """How often a right answer is surer than a wrong one, ties half, (resamples,); nan where either is missing."""
    bad = _by_group(groups, counts * wrong)
    good = _by_group(groups, counts) - bad
    below = bad.sum(axis=1, keepdims=True) - bad.cumsum(axis=1)
    pairs = good.sum(axis=1) * bad.sum(axis=1)
    ordered = (good * (below + bad / 2.0)).sum(axis=1)
    return np.divide(ordered, pairs, out=np.full(len(counts), np.nan), where=pairs > 0)


def _by_group(groups: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """The sums of `counts`, (resamples, n), over neighbours of one group, (resamples, groups)."""
    return np.add.reduceat(counts, np.flatnonzero(np.diff(groups, prepend=-1)), axis=1)
