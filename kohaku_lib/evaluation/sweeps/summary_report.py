"""The report of a sweep: its cells by one metric, and the winner's score on held-out questions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa

from kohaku_lib.errors import InputFileError
from kohaku_lib.evaluation.statistics.intervals import Interval, bootstrap_interval, few_documents
from kohaku_lib.evaluation.sweeps.held_out import is_held_out
from kohaku_lib.evaluation.sweeps.scores import cell_runs
from kohaku_lib.evaluation.sweeps.summary import CellRun, CellSummary, average_ranks, question_means, summarise_cells
from kohaku_lib.settings import SweepSettings


@dataclass(frozen=True, slots=True)
class SweepReport:
    """The cells by the metric of the sweep, the number of `questions`, and the choice without the held-out ones.

    `chosen` is the best cell by the other questions; `held_out_mean` is its mean on the `held_out` ones, None if there
    are none. `failures` are the reasons of cells without scores, by "line, x".
    """

    name: str
    sweep: SweepSettings
    cells: tuple[CellSummary, ...]
    ranks: Mapping[str, float]
    questions: int
    chosen: CellSummary
    held_out: int
    held_out_mean: float | None
    held_out_interval: Interval
    failures: Mapping[str, str]


def report_sweep(
    name: str,
    sweep: SweepSettings,
    scores: pa.Table,
    failures: Mapping[str, str] | None = None,
    clusters: Mapping[str, str | None] | None = None,
) -> SweepReport:
    """Return the report on `scores` (SWEEP_SCORES of all finished cells) by the metric of `sweep`.

    `clusters` are those of questions that are not independent, by id.

    Questions are held out by a digest of their id, so the choice is stable; if that would be all, none is.

    Raises:
        InputFileError: No cell has a score in that metric.
    """
    runs = cell_runs(scores, sweep.metric)
    if not runs:
        metrics = sorted(set(scores["metric"].to_pylist()))
        msg = f"no cell of the sweep {name!r} has a score in {sweep.metric!r}; its metrics are {metrics}"
        raise InputFileError(msg)
    ids = list(dict.fromkeys(name for run in runs for name in run.scores))
    choosing_ids = [question for question in ids if not is_held_out(question, sweep.held_out)] or ids
    held_out_ids = sorted(set(ids).difference(choosing_ids))
    chosen_cell = _best_cell(cell_runs(scores, sweep.metric, choosing_ids))
    chosen_runs = [
        run
        for run in cell_runs(scores, sweep.metric, held_out_ids)
        if (run.line, run.x) == (chosen_cell.line, chosen_cell.x)
    ]
    score_by_id = question_means(chosen_runs)
    means = list(score_by_id.values())
    cells = tuple(summarise_cells(runs, clusters))
    return SweepReport(
        name,
        sweep,
        cells,
        average_ranks(cells),
        len(ids),
        chosen_cell,
        len(held_out_ids),
        sum(means) / len(means) if means else None,
        bootstrap_interval(means, [(clusters or {}).get(name) for name in score_by_id]),
        dict(failures or {}),
    )


def sweep_winner(report: SweepReport) -> list[str]:
    """Return a sentence on the best cell, one on the held-out score of the cell chosen on the other questions, and a warning."""
    best = next(cell for cell in report.cells if cell.is_best)
    lines = [f"Best on all {report.questions} questions: {_cell_name(report, best)} with {best.mean:.3f}."]
    if report.held_out_mean is not None:
        lines.append(
            f"Chosen on {report.questions - report.held_out} of them: {_cell_name(report, report.chosen)}, which has "
            f"{report.held_out_mean:.3f} ({report.held_out_interval.text()}) on the {report.held_out} that were held out."
        )
    warning = few_documents([report.held_out_interval, *(cell.interval for cell in report.cells)])
    return [*lines, warning] if warning else lines


def _best_cell(runs: Sequence[CellRun]) -> CellSummary:
    return next(cell for cell in summarise_cells(runs) if cell.is_best)


def _cell_name(report: SweepReport, cell: CellSummary) -> str:
    return f"{report.sweep.line} = {cell.line}, {report.sweep.x} = {cell.x}"
