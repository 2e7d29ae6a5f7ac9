"""Sweeps by successive halving: rung by rung, which cells go on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from kohaku_assets.project import Project
from kohaku_assets.sweeping import PlannedCell, cell_table, planned_cells, sweep_of
from kohaku_lib.evaluation.halving import survivors
from kohaku_lib.evaluation.sweep_scores import cell_runs

RunCells = Callable[[Sequence[PlannedCell], str], None]  # runs those that are not finished; the text says what for


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
