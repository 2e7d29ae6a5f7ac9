"""A marker file in the store for the duration of a run: after a kill, checks may still be pending."""

from __future__ import annotations

from kohaku_assets.pipeline.project import Project
from kohaku_assets.pipeline.run import Run
from kohaku_assets.pipeline.stages import CHECKS

CAUSE = "a run ended before its checks ran"


def begin_run(run: Run) -> None:
    """Mark `run` as begun; it inherits the pending checks of a run that was killed before it."""
    run.unchecked.update(check for asset in unchecked_assets(run.project) for check in CHECKS[asset])
    run.project.paths.unfinished.touch()


def end_run(run: Run) -> None:
    """Mark `run` as finished, unless checks are still pending; then the next run performs them."""
    if not run.unchecked:
        run.project.paths.unfinished.unlink(missing_ok=True)


def unchecked_assets(project: Project) -> list[str]:
    """Return the built assets whose checks may not have run because a run was killed; [] if none was."""
    return [name for name in CHECKS if project.files.latest(name)] if project.paths.unfinished.is_file() else []
