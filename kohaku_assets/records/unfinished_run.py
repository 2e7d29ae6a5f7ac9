"""A marker file in the store for the duration of a run: whose it is, and which checks it still has to do."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kohaku_assets.pipeline.project import Project
from kohaku_assets.pipeline.run import Run
from kohaku_assets.pipeline.stages import CHECKS
from kohaku_lib.storage import write_atomically

CAUSE = "a run ended before its checks ran"


@dataclass(frozen=True, slots=True)
class UnfinishedRun:
    """The Dagster run that a store is marked with, None once its end was dealt with, and the checks that it did not do."""

    run_id: str | None
    unchecked: frozenset[str]


def begin_run(run: Run) -> None:
    """Mark the store with `run`; it inherits the pending checks of what ran before it, another run or a step of its own."""
    found = unfinished_run(run.project)
    run.unchecked.update(found.unchecked if found is not None else ())
    _mark(run.project, {"run": run.dagster_id})  # without checks: after a kill all are pending


def keep_run(run: Run) -> None:
    """Keep which checks `run` still has to do, for its next step."""
    _mark(run.project, {"run": run.dagster_id, "unchecked": sorted(run.unchecked)})


def end_run(run: Run) -> None:
    """Mark `run` as finished, unless checks are still pending; then the next run performs them."""
    if run.unchecked:
        _mark(run.project, {"run": None, "unchecked": sorted(run.unchecked)})
    else:
        run.project.paths.unfinished.unlink(missing_ok=True)


def unfinished_run(project: Project) -> UnfinishedRun | None:
    """Return the run whose end is still to be dealt with; None if there is none."""
    try:
        text = project.paths.unfinished.read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    found = json.loads(text) if text else {}  # empty, as earlier versions wrote it
    built = (check for asset, checks in CHECKS.items() if project.files.latest(asset) for check in checks)
    return UnfinishedRun(found.get("run"), frozenset(found.get("unchecked", built)))


def unchecked_assets(project: Project) -> list[str]:
    """Return the built assets whose checks may not have run because a run was killed; [] if none was."""
    found = unfinished_run(project)
    pending = found.unchecked if found is not None else ()
    return [name for name in CHECKS if not set(CHECKS[name]).isdisjoint(pending) and project.files.latest(name)]


def _mark(project: Project, marker: Mapping[str, Any]) -> None:
    write_atomically(project.paths.unfinished, lambda path: path.write_text(json.dumps(marker), encoding="utf-8"))
