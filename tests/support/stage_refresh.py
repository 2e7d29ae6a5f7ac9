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
from kohaku_lib.answering.answer_in_batches import BatchWaitingError
from kohaku_lib.errors import KohakuError


def refresh_stages(
    project: Project,
    names: Sequence[str] = (),
    *,
    force: Collection[str] = (),
    on_stage: Callable[[str], object] = lambda name: None,
    on_problem: Callable[[str], object] = lambda problem: None,
) -> RefreshReport:
    """Run the stages that are stale or missing among `names` (all by default) and their ancestors.

    What a failed stage or check leaves without its input is not run, and the first failure is returned.
    """
    run = Run(project, frozenset(force), on_stage=on_stage, on_problem=on_problem)
    stale = tuple(one for one in project.statuses(list(names) or None) if one.status != "fresh" or one.asset in force)
    outdated = [status.asset for status in stale]
    oddities = check_inputs(project, outdated)
    check_requirements(run, outdated)
    failures = list(_failures(run, outdated))
    gaps = [f"{name}: {one.manifest.incomplete}" for name, one in run.outcomes.items() if one.manifest.incomplete]
    return RefreshReport(stale, dict(run.outcomes), next(iter([*failures, *gaps]), None), tuple(oddities))


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
