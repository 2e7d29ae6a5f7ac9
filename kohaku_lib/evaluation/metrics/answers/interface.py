"""The interface of the metrics of answers that `--metric` and `release.answer_metric` name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from kohaku_lib.registry import Registry


class AnswerCells(NamedTuple):
    """The cells of an answer or of its truth, without outer white space."""

    value: str
    refs: str


class AnswerParts(NamedTuple):
    """What one answer earns in each part, 0 to 1; `na` is None where the row is left out of the mean of that part."""

    value: float
    ref: float
    na: float | None


@dataclass(frozen=True, slots=True)
class AnswerMetric:
    """A way to score an answer (None: there is none) against its truth; None leaves the question out."""

    name: str
    score: Callable[[AnswerCells, AnswerCells | None], AnswerParts | None]
    title: str  # in reports
    order: int = 100  # in which scores are listed


ANSWER_METRICS: Registry[AnswerMetric] = Registry(
    "answer metric", folder=__package__, entry_points="kohaku.answer_metrics"
)
