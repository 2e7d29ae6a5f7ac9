"""Runs a whole sweep through Dagster: one partition per unfinished cell, then the report."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from kohaku_assets.experiments.cells import (
    PlannedCell,
    cell_table,
    check_cells,
    is_finished,
    is_reported,
    planned_cells,
    sweep_of,
    sweep_report,
)
from kohaku_assets.pipeline.project import Project
from kohaku_lib.evaluation import SweepReport, cells_of
from kohaku_lib.evaluation.sweeps.halving import survivors
from kohaku_lib.evaluation.sweeps.scores import cell_runs

RunCells = Callable[[Sequence[PlannedCell], str], None]  # runs the unfinished cells; the text describes the purpose


@dataclass(frozen=True, slots=True)
class SweepRun:
    """The result of a sweep: the report, the numbers of cells found finished and run, and the folder.

    `rungs` are those of halving. `asked` counts each pair of cell and question once, whatever the number of runs;
    `asked_by_grid` is that count for all cells on all questions.
    """

    report: SweepReport
    found: int
    ran: int
    folder: Path
    rungs: tuple[Rung, ...]
    asked: int
    asked_by_grid: int


def run_sweep(project: Project, name: str, say: Callable[[str], None]) -> SweepRun:
    """Run the unfinished cells of the sweep `name`, write its report and return the result.

    A cell that fails does not stop the others.

    Raises:
        KohakuError: The sweep does not exist.
        SettingsError: A combination of settings is invalid.
        InputFileError: No cell has a score.
    """
    ran: list[PlannedCell] = []
    all_cells: list[PlannedCell] = []

    def run(cells: Sequence[PlannedCell], what: str) -> None:
        waiting = [cell for cell in cells if not is_finished(project, cell)]
        if waiting:
            check_cells(project, waiting)
            say(what)
            _materialize_cells(project, waiting, say)
        ran.extend(waiting)
        all_cells.extend(cells)

    rungs: list[Rung] = []
    if sweep_of(project, name).search == "halving":
        rungs, last = run_rungs(project, name, run)
    else:
        last = planned_cells(project, name)
    run(last, f"{len(last)} cells on all questions")
    report = sweep_report(project, name, last)
    if ran or not is_reported(project, name, last):
        from kohaku_assets.experiments.assets import write_report

        write_report(project, name)
    cells = len(cells_of(name, sweep_of(project, name)))
    return SweepRun(
        report,
        len(all_cells) - len(ran),
        len(ran),
        project.paths.sweeps / name,
        tuple(rungs),
        count_answers(rungs, len(last), report.questions),
        cells * report.questions,
    )


def _materialize_cells(project: Project, waiting: list[PlannedCell], say: Callable[[str], None]) -> None:
    import dagster as dg

    from kohaku_assets.assets.place import Place
    from kohaku_assets.assets.resources import STORE, locked_store
    from kohaku_assets.components.dagster_instance import dagster_instance
    from kohaku_assets.experiments.assets import CELLS, experiment_assets
    from kohaku_assets.records.run_labels import cell_tags

    cells, _ = experiment_assets(project, Place())
    with dagster_instance(project) as instance:
        instance.add_dynamic_partitions(CELLS, [cell.key for cell in waiting])
        for number, planned_cell in enumerate(waiting, start=1):
            say(f"cell {number} of {len(waiting)}: {', '.join(planned_cell.cell.overrides)}")
            dg.materialize(
                [cells],
                partition_key=planned_cell.key,
                resources={STORE: locked_store(project, Place())},
                instance=instance,
                raise_on_error=False,
                tags=cell_tags(planned_cell.cell.sweep, planned_cell.cell.overrides),
                run_config={"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}},
            )


@dataclass(frozen=True, slots=True)
class Rung:
    """One rung: the number of questions and cells, the cells (line, x) that advanced, and those that failed."""

    questions: int
    cells: int
    kept: tuple[tuple[str, str], ...]
    failed: tuple[tuple[str, str], ...]


def run_rungs(project: Project, name: str, run: RunCells) -> tuple[list[Rung], list[PlannedCell]]:
    """Run the rungs of the sweep `name`; return them and the finalists, planned over all questions.

    A cell that fails is eliminated.

    Raises:
        KohakuError: There are no questions.
    """
    sweep, cells = sweep_of(project, name), planned_cells(project, name)
    rungs: list[Rung] = []
    left = {(one.cell.line, one.cell.x) for one in cells}
    for size in sorted({one.questions for one in cells if one.questions is not None}):
        rung_cells = [one for one in cells if one.questions == size and (one.cell.line, one.cell.x) in left]
        run(rung_cells, f"rung of {size} questions, {len(rung_cells)} cells")
        tables = {(one.cell.line, one.cell.x): cell_table(project, one) for one in rung_cells}
        runs = [cell_run for table in tables.values() if table for cell_run in cell_runs(table, sweep.metric)]
        advancing = survivors(runs, sweep.eta)
        failed = tuple(cell for cell, table in tables.items() if table is None)
        rungs.append(Rung(size, len(rung_cells), tuple(advancing), failed))
        left = set(advancing)
    finalists = [one for one in cells if one.questions is None and (one.cell.line, one.cell.x) in left]
    return rungs, finalists


def count_answers(rungs: Sequence[Rung], finalists: int, questions: int) -> int:
    """Return the number of pairs of cell and question that were answered; a rung includes the previous one's questions.

    >>> count_answers([Rung(10, 9, (), ()), Rung(30, 3, (), ())], 1, 40)
    160
    """
    sizes = [0, *(rung.questions for rung in rungs), questions]
    cells = [*(rung.cells for rung in rungs), finalists]
    return sum(count * (size - before) for count, before, size in zip(cells, sizes, sizes[1:], strict=False))
