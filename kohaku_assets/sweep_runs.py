"""Runs a whole sweep through Dagster: a partition for every cell that is not finished, then the report."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from kohaku_assets.project import Project
from kohaku_assets.sweep_rungs import Rung, answers_asked, run_rungs
from kohaku_assets.sweeping import (
    PlannedCell,
    check_cells,
    is_finished,
    planned_cells,
    sweep_folder,
    sweep_of,
    sweep_report,
)
from kohaku_lib.evaluation import SweepReport, cells_of


@dataclass(frozen=True, slots=True)
class SweepRun:
    """What a call came to: the report, how many cells were found finished and how many ran, and where it lies.

    `rungs` are those of halving; `asked` counts a cell's answer to a question (in all its runs) once, over all calls,
    `asked_by_grid` what all cells on all questions take.
    """

    report: SweepReport
    found: int
    ran: int
    folder: Path
    rungs: tuple[Rung, ...]
    asked: int
    asked_by_grid: int


def run_sweep(project: Project, name: str, say: Callable[[str], None]) -> SweepRun:
    """Run the cells of the sweep `name` that are not finished, write its report and return what it shows.

    A cell that fails stops no other. Raises KohakuError for an unknown sweep, SettingsError for an impossible
    combination of settings and InputFileError where no cell has a score.
    """
    ran: list[PlannedCell] = []
    seen: list[PlannedCell] = []

    def run(cells: Sequence[PlannedCell], what: str) -> None:
        waiting = [cell for cell in cells if not is_finished(project, cell)]
        if waiting:
            check_cells(project, waiting)
            say(what)
            _materialise(project, waiting, say)
        ran.extend(waiting)
        seen.extend(cells)

    rungs: list[Rung] = []
    if sweep_of(project, name).search == "halving":
        rungs, last = run_rungs(project, name, run)
    else:
        last = planned_cells(project, name)
    run(last, f"{len(last)} cells on all questions")
    report = sweep_report(project, name, last)
    if ran:
        from kohaku_assets.experiments import write_report

        write_report(project, name)
    cells = len(cells_of(name, sweep_of(project, name)))
    return SweepRun(
        report,
        len(seen) - len(ran),
        len(ran),
        sweep_folder(project, name),
        tuple(rungs),
        answers_asked(rungs, len(last), report.questions),
        cells * report.questions,
    )


def _materialise(project: Project, waiting: list[PlannedCell], say: Callable[[str], None]) -> None:
    import dagster as dg

    from kohaku_assets.experiments import CELLS, experiment_assets
    from kohaku_assets.instance import dagster_instance
    from kohaku_assets.resources import STORE, locked_store

    cells, _ = experiment_assets(project)
    with dagster_instance(project) as instance:
        instance.add_dynamic_partitions(str(CELLS.name), [cell.key for cell in waiting])
        for number, planned in enumerate(waiting, start=1):
            say(f"cell {number} of {len(waiting)}: {', '.join(planned.cell.overrides)}")
            dg.materialize(
                [cells],
                partition_key=planned.key,
                resources={STORE: locked_store(project)},
                instance=instance,
                raise_on_error=False,
                run_config={"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}},
            )
