"""Refreshes stages as `refresh` does, but without Dagster: no run, no history and no report of what changed.

A test of what stages compute and when they compute it again uses this; a test of runs, events, locks or stopping uses
`refresh`. The blocking checks of each stage run too, by the same rules.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence

from kohaku_assets.assets.checks import offenders_of
from kohaku_assets.components.batching import describe_open_batches
from kohaku_assets.components.preflight import check_inputs, check_requirements
from kohaku_assets.operations.refresh import RefreshReport
from kohaku_assets.pipeline.project import Project
from kohaku_assets.pipeline.run import Run
from kohaku_assets.pipeline.stage_running import run_stage
from kohaku_assets.pipeline.stages import CHECKS, STAGES, with_descendants
from kohaku_assets.pipeline.staleness import RETRIED, AssetStatus
from kohaku_lib.answering.answer_in_batches import BatchWaitingError
from kohaku_lib.errors import KohakuError


def refresh_stages(
    project: Project,
    names: Sequence[str] = (),
    *,
    force: Collection[str] = (),
    on_stage: Callable[[str], object] = lambda name: None,
    on_progress: Callable[[int, int], None] = lambda done, total: None,
    on_problem: Callable[[str], object] = lambda problem: None,
) -> RefreshReport:
    """Run the stages that are stale or missing among `names` (all by default) and their ancestors.

    What a failed stage or check leaves without its input is not run, and the first failure is returned.
    """
    run = Run(project, frozenset(force), on_stage, on_progress, on_problem)
    outdated = _outdated(run, names)
    stages = [status.asset for status in outdated]
    oddities = check_inputs(project, stages)
    check_requirements(run, stages)
    failure = _failure(run, outdated)
    if outdated and failure is None:  # what was made anew may differ in content, which its readers notice only now
        run.force = frozenset()
        later = [status for status in _outdated(run, names) if not status.causes[-1].endswith(RETRIED)]
        failure = _failure(run, later)
        outdated += later
    return RefreshReport(tuple(outdated), dict(run.outcomes), failure, (*oddities, *project.user_files.warnings))


def _outdated(run: Run, names: Sequence[str]) -> list[AssetStatus]:
    statuses = run.project.statuses(list(names) or None)
    return [status for status in statuses if status.status != "fresh" or status.asset in run.force]


def _failure(run: Run, statuses: Sequence[AssetStatus]) -> str | None:
    """Run the stages of `statuses`; return the first failure, or the first gap in an output."""
    failures = list(_failures(run, [status.asset for status in statuses]))
    gaps = [f"{name}: {one.manifest.incomplete}" for name, one in run.outcomes.items() if one.manifest.incomplete]
    return next(iter([*failures, *gaps]), None)


def _failures(run: Run, outdated: Sequence[str]) -> Iterator[str]:
    """Run what can be run of `outdated`, in order; yield why something cannot."""
    blocked = set[str]()
    for name in outdated:
        if name in blocked:
            continue
        try:
            run_stage(run, STAGES[name])
            found = _rejection(run.project, name)
        except BatchWaitingError:
            found = describe_open_batches(run)
        except KohakuError as error:
            found = str(error)
        if found:
            blocked.update(with_descendants([name], run.settings))
            yield f"{name}: {found}"


def _rejection(project: Project, name: str) -> str | None:
    """Return what the blocking checks of a stage find in its output, after they have rejected it."""
    for check in CHECKS.get(name, ()):
        offenders = offenders_of(check, project)
        if offenders:
            sentence = f"check {check} failed on {len(offenders)}: {', '.join(offenders[:3])}"
            project.reject(name, sentence)
            return sentence
    return None
