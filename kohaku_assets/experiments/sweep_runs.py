"""Runs a whole sweep through Dagster: a partition for every cell that is not finished, then the report."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from kohaku_assets.experiments.cells import (
    PlannedCell,
    cell_table,
    check_cells,
    is_finished,
    planned_cells,
    sweep_folder,
    sweep_of,
    sweep_report,
)
from kohaku_assets.pipeline.project import Project
from kohaku_lib.evaluation import SweepReport, cells_of
from kohaku_lib.evaluation.sweeps.halving import survivors
from kohaku_lib.evaluation.sweeps.scores import cell_runs

RunCells = Callable[[Sequence[PlannedCell], str], None]  # runs those that are not finished; the text says what for


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
        from kohaku_assets.experiments.assets import write_report

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

    from kohaku_assets.assets.resources import STORE, locked_store
    from kohaku_assets.components.dagster_instance import dagster_instance
    from kohaku_assets.experiments.assets import CELLS, experiment_assets

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


@dataclass(frozen=True, slots=True)
class Rung:
    """One rung: how many questions each of `cells` cells answered, those (line, x) that went on, and those that failed."""

    questions: int
    cells: int
    kept: tuple[tuple[str, str], ...]
    failed: tuple[tuple[str, str], ...]


def run_rungs(project: Project, name: str, run: RunCells) -> tuple[list[Rung], list[PlannedCell]]:
    """Run the rungs of the sweep `name` and return them with the cells that are left, planned over all questions.

    A cell that fails is out. Raises KohakuError where there are no questions to choose by.
    """
    sweep, planned = sweep_of(project, name), planned_cells(project, name)
    rungs: list[Rung] = []
    left = {(one.cell.line, one.cell.x) for one in planned}
    for size in sorted({one.questions for one in planned if one.questions is not None}):
        chosen = [one for one in planned if one.questions == size and (one.cell.line, one.cell.x) in left]
        run(chosen, f"rung of {size} questions, {len(chosen)} cells")
        tables = {(one.cell.line, one.cell.x): cell_table(project, one) for one in chosen}
        runs = [found for table in tables.values() if table for found in cell_runs(table, sweep.metric)]
        kept = survivors(runs, sweep.eta)
        failed = tuple(cell for cell, table in tables.items() if table is None)
        rungs.append(Rung(size, len(chosen), tuple(kept), failed))
        left = set(kept)
    finalists = [one for one in planned if one.questions is None and (one.cell.line, one.cell.x) in left]
    return rungs, finalists


def answers_asked(rungs: Sequence[Rung], finalists: int, questions: int) -> int:
    """Return how many questions were answered by any cell, each once: a rung holds the questions of the one before.

    >>> answers_asked([Rung(10, 9, (), ()), Rung(30, 3, (), ())], 1, 40)
    160
    """
    sizes = [0, *(rung.questions for rung in rungs), questions]
    cells = [*(rung.cells for rung in rungs), finalists]
    return sum(count * (size - before) for count, before, size in zip(cells, sizes, sizes[1:], strict=False))
