"""Runs the cells of a sweep over one store: shared work is done once, finished cells are not run again."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import pyarrow as pa

from kohaku_assets.components.preflight import check_inputs, check_requirements
from kohaku_assets.pipeline.project import Project
from kohaku_assets.pipeline.run import Run
from kohaku_assets.pipeline.stage_running import run_stages
from kohaku_assets.pipeline.stages import MEASURED, with_ancestors
from kohaku_assets.records.project_lock import project_lock
from kohaku_lib.composition import override
from kohaku_lib.digests import digest
from kohaku_lib.errors import KohakuError
from kohaku_lib.evaluation import (
    PRESETS,
    SweepCell,
    SweepReport,
    cell_scores,
    cells_of,
    read_rows,
    report_sweep,
    write_csv,
)
from kohaku_lib.evaluation.metrics.evidence import cluster_of
from kohaku_lib.evaluation.sweeps.halving import question_rungs
from kohaku_lib.settings import SweepSettings
from kohaku_lib.storage import write_atomically
from kohaku_lib.tables import SWEEP_SCORES, empty_table

PAGE = "report.html"


@dataclass(frozen=True, slots=True)
class PlannedCell:
    """A cell of a sweep and its key, which changes with every setting and file that its scores depend on.

    `questions` is the number of questions on a halving rung, None for all.
    """

    cell: SweepCell
    key: str
    questions: int | None = None


def sweep_of(project: Project, name: str) -> SweepSettings:
    """Return the sweep `name` from the settings, else from the presets.

    Raises:
        KohakuError: There is no such sweep.
    """
    sweep_by_name = {**PRESETS, **project.settings.sweep}
    if name not in sweep_by_name:
        msg = (
            f"there is no sweep {name!r}; add [sweep.{name}] to kohaku.toml or choose one of {', '.join(sweep_by_name)}"
        )
        raise KohakuError(msg)
    return sweep_by_name[name]


def planned_cells(project: Project, name: str) -> list[PlannedCell]:
    """Return the cells of the sweep `name` with their keys; for halving, each cell also once per rung.

    Raises:
        SettingsError: A combination of settings is invalid.
        KohakuError: Halving needs questions and there are none.
    """
    sweep = sweep_of(project, name)
    cells = cells_of(name, sweep)
    rungs = _rung_files(project, name, sweep) if sweep.search == "halving" else {}
    rung_cells = [
        (size, replace(cell, overrides=(*cell.overrides, f"corpus.questions={path}")))
        for size, path in rungs.items()
        for cell in cells
    ]
    sized_cells = [*rung_cells, *((None, cell) for cell in cells)]
    return [PlannedCell(cell, _cell_key(project, cell), size) for size, cell in sized_cells]


def run_cell(project: Project, planned_cell: PlannedCell) -> None:
    """Run one cell and store its scores; outputs of other cells and of the project are reused.

    A failure is recorded for the report and raised.
    """
    cell, path = planned_cell.cell, _cell_scores_path(project, planned_cell)
    cell_project = _cell_project(project, cell)
    try:
        with project_lock(project):
            run_stages(Run(cell_project), with_ancestors(MEASURED, cell_project.settings))
        latest = cell_project.files.latest_table
        table = cell_scores(cell, latest("scores"), latest("retrieval_scores"), sweep_of(project, cell.sweep).of)
    except Exception as error:
        text = json.dumps(str(error) or type(error).__name__)
        write_atomically(_failure_path(project, planned_cell), lambda partial_path: partial_path.write_text(text))
        raise
    write_atomically(path, partial(_write_table, table))
    _failure_path(project, planned_cell).unlink(missing_ok=True)


def check_cells(project: Project, cells: Sequence[PlannedCell]) -> None:
    """Check the requirements of cells before any runs; raise the error of the first cell if all of them fail."""
    first: KohakuError | None = None
    for one in cells:
        cell_project = _cell_project(project, one.cell)
        outdated = [status.asset for status in cell_project.statuses(MEASURED) if status.status != "fresh"]
        try:
            check_inputs(cell_project, outdated)
            check_requirements(Run(cell_project), outdated)
        except KohakuError as error:
            first = first or error
        else:
            return
    if first is not None:
        raise first


def is_finished(project: Project, planned_cell: PlannedCell) -> bool:
    """Return whether the scores of this cell exist for its current settings and files."""
    return _cell_scores_path(project, planned_cell).is_file()


def is_reported(project: Project, name: str, cells: Sequence[PlannedCell]) -> bool:
    """Return whether the sweep's page is newer than its cells; a backfill in Dagster finishes cells and writes no page."""
    page = project.paths.sweeps / name / PAGE
    finished = [path for one in cells if (path := _cell_scores_path(project, one)).is_file()]
    return page.is_file() and all(path.stat().st_mtime_ns <= page.stat().st_mtime_ns for path in finished)


def cell_table(project: Project, planned_cell: PlannedCell) -> pa.Table | None:
    """Return the SWEEP_SCORES of a cell; None if it is not finished."""
    import pyarrow.parquet as pq

    path = _cell_scores_path(project, planned_cell)
    return pq.read_table(path) if path.is_file() else None


def sweep_report(project: Project, name: str, cells: Sequence[PlannedCell]) -> SweepReport:
    """Return the report on the cells of a sweep that are finished over all questions.

    Raises:
        InputFileError: No cell has a score.
    """
    cells = [one for one in cells if one.questions is None]
    tables = [table for one in cells if (table := cell_table(project, one)) is not None]
    scores = pa.concat_tables([empty_table(SWEEP_SCORES), *tables])
    failures = {
        f"{one.cell.line}, {one.cell.x}": json.loads(path.read_text())
        for one in cells
        if (path := _failure_path(project, one)).is_file()
    }
    questions = project.settings.corpus.questions
    clusters = {row["id"].strip(): cluster_of(row) for row in read_rows(questions, ["id"])} if questions else {}
    return report_sweep(name, sweep_of(project, name), scores, failures, clusters)


def _rung_files(project: Project, name: str, sweep: SweepSettings) -> dict[int, Path]:
    """Write the questions of each rung except the last to a file; return the paths by number of questions."""
    source = project.settings.corpus.questions
    if source is None:
        msg = f"the sweep {name!r} chooses cells by their answers, but there are no questions; set corpus.questions"
        raise KohakuError(msg)
    rows = read_rows(source)
    path_by_size: dict[int, Path] = {}
    for rung in question_rungs([row["id"] for row in rows], sweep):
        rung_ids = set(rung)
        rung_rows = [row for row in rows if row["id"] in rung_ids]
        path = project.paths.sweeps / name / "questions" / f"{digest(rung)[:12]}.csv"
        write_csv(rung_rows, path, list(rows[0]), escape_formulas=False)  # read back by kohaku
        path_by_size[len(rung)] = path.resolve()
    return path_by_size


def cell_records(project: Project, cell: SweepCell) -> Path:
    """Return the folder with the records of a cell's outputs."""
    return project.paths.sweeps / cell.sweep / "records" / digest([cell.line, cell.x])[:12]


def _cell_project(project: Project, cell: SweepCell) -> Project:
    return Project(override(project.loaded, cell.overrides), cell_records(project, cell))


def _cell_key(project: Project, cell: SweepCell) -> str:
    versions = _cell_project(project, cell).versions(MEASURED)
    made_of = digest([sweep_of(project, cell.sweep).of, *(versions[name] for name in MEASURED)])
    return f"{cell.sweep} {cell.line} {cell.x} {made_of[:12]}"


def _cell_scores_path(project: Project, planned_cell: PlannedCell) -> Path:
    return project.paths.sweeps / planned_cell.cell.sweep / "cells" / f"{digest(planned_cell.key)}.parquet"


def _failure_path(project: Project, planned_cell: PlannedCell) -> Path:
    return _cell_scores_path(project, planned_cell).with_suffix(".failure.json")


def _write_table(table: pa.Table, path: Path) -> None:
    import pyarrow.parquet as pq

    pq.write_table(table, path)
