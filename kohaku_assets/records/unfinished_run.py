"""Marks the store while a run lasts: after a kill, the checks and the end of the run may still be due."""

from __future__ import annotations

from pathlib import Path

from kohaku_assets.pipeline.project import Project
from kohaku_assets.pipeline.run import Run
from kohaku_assets.pipeline.stages import CHECKS

CAUSE = "a run ended before its checks were made"


def begin_run(run: Run) -> None:
    """Note that `run` has begun; it owes the checks of one that was cut short before it."""
    run.unchecked.update(check for asset in unchecked_assets(run.project) for check in CHECKS[asset])
    _mark(run.project).touch()


def end_run(run: Run) -> None:
    """Note that `run` has done all that runs do at their end; where checks are owed, the next one makes them."""
    if not run.unchecked:
        _mark(run.project).unlink(missing_ok=True)


def unchecked_assets(project: Project) -> list[str]:
    """Return the built assets whose checks may not have been made, as a run was cut short; [] where none was."""
    return [name for name in CHECKS if project.files.latest(name)] if _mark(project).is_file() else []


def _mark(project: Project) -> Path:
    return project.store / ".unfinished"
