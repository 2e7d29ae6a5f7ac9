"""Comparison of the cells of a sweep: means, deviations, ranks, and significance."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from kohaku_lib.evaluation.statistics.clusters import Clusters
from kohaku_lib.evaluation.statistics.comparison import detectable_from, holm_adjusted, permutation_p_value
from kohaku_lib.evaluation.statistics.intervals import Interval, bootstrap_interval

_MARKS = ((0.001, "***"), (0.01, "**"), (0.05, "*"), (0.10, "^"))


@dataclass(frozen=True, slots=True)
class CellRun:
    """One run of one cell: its two parameter values and the score of each question by id."""

    line: str
    x: str
    run: int
    scores: Mapping[str, float]

    @property
    def mean(self) -> float:
        """The mean over the questions; 0 without questions."""
        return float(np.mean(list(self.scores.values()))) if self.scores else 0.0


@dataclass(frozen=True, slots=True)
class CellSummary:
    """A cell over its runs; `deviation` is the population standard deviation of the runs' means, 0 for one run.

    `interval` bounds the mean over questions (each question's score averaged over the runs). Against the best cell:
    `welch_p` and `effect` (Cohen's d) compare the runs' means and are None for fewer than two runs on either side;
    `paired_p` compares question by question, documents as a whole, and is Holm-corrected over the cells; `detectable` is
    the minimum detectable difference to the best cell. All four are None for the best cell itself.
    """

    line: str
    x: str
    runs: int
    mean: float
    deviation: float
    interval: Interval
    is_best: bool
    welch_p: float | None = None
    effect: float | None = None
    paired_p: float | None = None
    detectable: float | None = None

    @property
    def mark(self) -> str:
        """Return *** ** * or ^ if the paired p-value is below 0.001, 0.01, 0.05 or 0.10, else an empty string."""
        if self.paired_p is None:
            return ""
        return next((mark for level, mark in _MARKS if self.paired_p < level), "")


def summarise_cells(
    runs: Sequence[CellRun], clusters: Mapping[str, str | None] | None = None, seed: int = 0
) -> list[CellSummary]:
    """Return a summary per cell, in the order of first appearance; the best cell has the highest mean.

    Of equal means the first is the best. Questions that a cell and the best do not share are excluded from their
    comparison. `clusters` are those of questions that are not independent, by id.

    >>> runs = [CellRun("a", "4", 0, {"q1": 1.0, "q2": 0.0}), CellRun("a", "8", 0, {"q1": 1.0, "q2": 1.0})]
    >>> [(cell.x, cell.mean, cell.is_best, cell.paired_p) for cell in summarise_cells(runs)]
    [('4', 0.5, False, 1.0), ('8', 1.0, True, None)]
    """
    cells: dict[tuple[str, str], list[CellRun]] = {}
    for run in runs:
        cells.setdefault((run.line, run.x), []).append(run)
    if not cells:
        return []
    means = {cell: float(np.mean([run.mean for run in cell_runs])) for cell, cell_runs in cells.items()}
    best = max(means, key=means.__getitem__)
    others = [cell for cell in cells if cell != best]
    clusters = clusters or {}
    deltas = {cell: _question_differences(cells[best], cells[cell], clusters) for cell in others}
    holm_p_values = holm_adjusted([permutation_p_value(*deltas[cell], seed) for cell in others])
    summaries = {cell: _plain_summary(cell, cell_runs, clusters, cell == best) for cell, cell_runs in cells.items()}
    for cell, p_value in zip(others, holm_p_values, strict=True):
        detectable = detectable_from(*deltas[cell])
        summaries[cell] = _compare_with_best(summaries[cell], cells[cell], cells[best], p_value, detectable)
    return list(summaries.values())


def average_ranks(cells: Sequence[CellSummary]) -> dict[str, float]:
    """Return the mean rank (1 is best) of every line over the x values common to all lines; ties share their rank.

    >>> cells = summarise_cells([CellRun(line, "4", 0, {"q": score}) for line, score in (("a", 0.2), ("b", 0.9))])
    >>> average_ranks(cells)
    {'a': 2.0, 'b': 1.0}
    """
    lines = list(dict.fromkeys(cell.line for cell in cells))
    mean_by_cell = {(cell.line, cell.x): cell.mean for cell in cells}
    shared_xs = [x for x in dict.fromkeys(cell.x for cell in cells) if all((line, x) in mean_by_cell for line in lines)]
    if not shared_xs:
        return {}
    means = np.array([[mean_by_cell[line, x] for x in shared_xs] for line in lines])
    above = (means[None, :, :] > means[:, None, :]).sum(axis=1)
    equals = (means[None, :, :] == means[:, None, :]).sum(axis=1)
    ranks = (above + (equals + 1) / 2).mean(axis=1)
    return dict(zip(lines, ranks.tolist(), strict=True))


def question_means(runs: Sequence[CellRun]) -> dict[str, float]:
    """Return every question's score averaged over the runs that have it."""
    scores_by_id: dict[str, list[float]] = {}
    for run in runs:
        for name, score in run.scores.items():
            scores_by_id.setdefault(name, []).append(score)
    return {name: float(np.mean(scores)) for name, scores in scores_by_id.items()}


def _question_differences(
    best: Sequence[CellRun], other: Sequence[CellRun], clusters: Mapping[str, str | None]
) -> tuple[np.ndarray, Clusters]:
    """Return the differences of the questions that both have, and their clusters."""
    best_means, other_means = question_means(best), question_means(other)
    ids = [name for name in best_means if name in other_means]
    delta = np.array([best_means[name] - other_means[name] for name in ids], dtype=np.float64)
    return delta, [clusters.get(name) for name in ids]


def _plain_summary(
    cell: tuple[str, str], runs: Sequence[CellRun], clusters: Mapping[str, str | None], is_best: bool
) -> CellSummary:
    means = np.array([run.mean for run in runs])
    score_by_id = question_means(runs)
    interval = bootstrap_interval(list(score_by_id.values()), [clusters.get(name) for name in score_by_id])
    return CellSummary(*cell, len(runs), float(means.mean()), float(means.std()), interval, is_best)


def _compare_with_best(
    cell: CellSummary, runs: Sequence[CellRun], best: Sequence[CellRun], paired_p: float, detectable: float | None
) -> CellSummary:
    welch_p, effect = welch_test([run.mean for run in best], [run.mean for run in runs])
    return replace(cell, welch_p=welch_p, effect=effect, paired_p=paired_p, detectable=detectable)


def welch_test(first: Sequence[float], second: Sequence[float]) -> tuple[float | None, float | None]:
    """Return the two-sided p-value of Welch's t-test and Cohen's d of `first` over `second`.

    Both are None for fewer than two values on either side or if nothing varies; d divides by the root of the
    mean of the two sample variances.

    >>> p_value, effect = welch_test([3.0, 4.0, 5.0], [1.0, 2.0, 3.0])
    >>> round(p_value, 4), effect
    (0.0705, 2.0)
    """
    if min(len(first), len(second)) < 2:
        return None, None
    variances = [float(np.var(values, ddof=1)) for values in (first, second)]
    if not any(variances):
        return None, None
    from scipy import stats

    # From means and deviations, as scipy warns about samples without variation.
    sides = [value for side in (first, second) for value in (np.mean(side), np.std(side, ddof=1), len(side))]
    result: Any = stats.ttest_ind_from_stats(*sides, equal_var=False)
    return float(result.pvalue), float((np.mean(first) - np.mean(second)) / math.sqrt(sum(variances) / 2))
