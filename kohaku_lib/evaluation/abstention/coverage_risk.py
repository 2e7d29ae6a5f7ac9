"""What answering less would gain: the risk of the answers given, by how many of them are given."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kohaku_lib.evaluation.statistics import Interval, percentile_interval, resample_counts

_RESAMPLES = 500


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
    """The points from the surest answers to all of them, and the areas beneath the curve.

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
    areas, separations = _resampled(sure, wrong)
    return RiskCurve(
        points,
        _area(sure, wrong),
        percentile_interval(np.array(areas)) if areas else Interval(None, None),
        _area(-np.sort(wrong), np.sort(wrong)),
        _separation(sure, wrong),
        percentile_interval(np.array(separations)) if separations else Interval(None, None),
    )


def _area(sure: np.ndarray, wrong: np.ndarray) -> float:
    """The mean risk over the first 1, 2, … n answers; `sure` falls, and ties share their mean."""
    if not wrong.size:
        return 0.0
    _, first, size = np.unique(-sure, return_index=True, return_counts=True)
    means = np.add.reduceat(wrong, first) / size
    return float(np.mean(np.cumsum(np.repeat(means, size)) / np.arange(1, wrong.size + 1)))


def _separation(sure: np.ndarray, wrong: np.ndarray) -> float | None:
    good, bad = sure[wrong == 0.0], np.sort(sure[wrong == 1.0])
    if not good.size or not bad.size:
        return None
    below, up_to = np.searchsorted(bad, good, "left"), np.searchsorted(bad, good, "right")
    return float((below + up_to).mean() / (2.0 * bad.size))


def _resampled(sure: np.ndarray, wrong: np.ndarray) -> tuple[list[float], list[float]]:
    if not wrong.size:
        return [], []
    areas, separations = [], []
    for counts in resample_counts(wrong.size, 0, _RESAMPLES).astype(int):
        drawn, missed = np.repeat(sure, counts), np.repeat(wrong, counts)
        areas.append(_area(drawn, missed))
        separation = _separation(drawn, missed)
        separations += [] if separation is None else [separation]
    return areas, separations
