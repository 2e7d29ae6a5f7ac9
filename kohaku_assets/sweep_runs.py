"""Runs a whole sweep through Dagster: a partition for every cell that is not finished, then the report."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from kohaku_assets.project import Project
from kohaku_assets.sweeping import PlannedCell, is_finished, planned_cells, sweep_folder, sweep_report
from kohaku_lib.evaluation import SweepReport


@dataclass(frozen=True, slots=True)
class SweepRun:
    """What a call came to: the report, how many cells were found finished and how many ran, and where it lies."""

    report: SweepReport
    found: int
    ran: int
    folder: Path


def run_sweep(project: Project, name: str, tell: Callable[[str], None]) -> SweepRun:
    """Run the cells of the sweep `name` that are not finished, write its report and return what it shows.

    A cell that fails stops no other. Raises KohakuError for an unknown sweep, SettingsError for an impossible
    combination of settings and InputFileError where no cell has a score.
    """
    planned = planned_cells(project, name)
    waiting = [cell for cell in planned if not is_finished(project, cell)]
    if waiting:
        _materialise(project, waiting, tell)
    report = sweep_report(project, name, planned)
    if waiting:
        from kohaku_assets.experiments import write_report

        write_report(project, name)
    return SweepRun(report, len(planned) - len(waiting), len(waiting), sweep_folder(project, name))


def _materialise(project: Project, waiting: list[PlannedCell], tell: Callable[[str], None]) -> None:
    import dagster as dg

    from kohaku_assets.experiments import CELLS, experiment_assets
    from kohaku_assets.refresh import dagster_instance
    from kohaku_assets.resources import STORE, locked_store

    cells, _ = experiment_assets(project)
    with dagster_instance(project) as instance:
        instance.add_dynamic_partitions(str(CELLS.name), [cell.key for cell in waiting])
        for number, planned in enumerate(waiting, start=1):
            tell(f"cell {number} of {len(waiting)}: {', '.join(planned.cell.overrides)}")
            dg.materialize(
                [cells],
                partition_key=planned.key,
                resources={STORE: locked_store(project)},
                instance=instance,
                raise_on_error=False,
                run_config={"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}},
            )
