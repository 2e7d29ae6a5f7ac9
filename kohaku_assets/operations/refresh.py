"""Computes the outdated assets of a project in one Dagster run."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from kohaku_assets.components.batching import STAGE, describe_open_batches
from kohaku_assets.components.preflight import check_inputs, check_requirements
from kohaku_assets.components.warming import warm_up
from kohaku_assets.pipeline.project import Project
from kohaku_assets.pipeline.run import Run
from kohaku_assets.pipeline.stage_inputs import StageOutcome
from kohaku_assets.pipeline.stages import STAGES, with_ancestors
from kohaku_assets.pipeline.staleness import RETRIED, AssetStatus
from kohaku_assets.records.project_lock import project_lock
from kohaku_assets.records.run_failures import STOPPED, failure_sentence
from kohaku_assets.records.sql_views import write_sql_views
from kohaku_assets.records.unfinished_run import CAUSE, unchecked_assets
from kohaku_lib.errors import KohakuError
from kohaku_lib.storage import views_damage
from kohaku_lib.storage.disk_full import is_disk_full

if TYPE_CHECKING:
    from kohaku_lib.evaluation.changes.change_report import ChangeReport


@dataclass(frozen=True, slots=True)
class RefreshReport:
    """The assets that were out of date with their causes, the outcomes of running them, and the failure, if any.

    `oddities` are warnings about the user's files. `changes` are those since the state before;
    None if there was none, or nothing ran. `backup` says what became of the backup at the end, None without one.
    """

    statuses: tuple[AssetStatus, ...]
    outcomes: dict[str, StageOutcome]
    failure: str | None = None
    oddities: tuple[str, ...] = ()
    changes: ChangeReport | None = None
    backup: str | None = None

    @property
    def was_stopped(self) -> bool:
        """Whether the run was stopped by the user."""
        return self.failure is not None and self.failure.endswith(STOPPED)


def refresh(
    project: Project,
    names: Sequence[str] = (),
    *,
    force: Collection[str] = (),
    on_stage: Callable[[str], object] = lambda name: None,
    on_progress: Callable[[int, int], None] = lambda done, total: None,
    on_problem: Callable[[str], object] = lambda problem: None,
) -> RefreshReport:
    """Run the assets that are stale or missing among `names` (all by default) and their ancestors.

    Fresh assets are skipped unless they are in `force`. `on_stage` is called with the name of each stage before it
    runs, `on_progress` within long ones, `on_problem` with a sentence on each document that fails, at once. A failure
    inside a run is returned; stages finished before it are saved.

    Raises:
        KohakuError: An asset does not exist, files cannot be read, or another run holds the store lock.
    """
    return refresh_run(Run(project, frozenset(force), on_stage, on_progress, on_problem), names)


def refresh_run(run: Run, names: Sequence[str] = ()) -> RefreshReport:
    """Refresh like `refresh`, as part of `run`."""
    unknown = [name for name in names if name not in STAGES]
    if unknown:
        msg = f"there is no asset {unknown[0]!r}; the assets are {', '.join(STAGES)}"
        raise KohakuError(msg)
    off = [name for name in names if not STAGES[name].is_on(run.settings)]
    if off:
        msg = f"{off[0]!r} is switched off; set {STAGES[off[0]].switch} = true"
        raise KohakuError(msg)
    with project_lock(run.project):
        outdated = _outdated(run, names)
        stages = [status.asset for status in outdated]
        oddities = check_inputs(run.project, stages)
        check_requirements(run, stages)
        warm_up(run.project, stages)
        failure = _materialise(run, outdated) if stages else None
        if stages and failure is None:
            later = _still_outdated(run, names)
            failure = _materialise(run, later) if later else None
            outdated += later
        if failure is None and "source_files" in with_ancestors(names or STAGES, run.settings):
            run.project.note_documents_place()
        if not stages and views_damage(run.project.paths.views):  # as those of a store that was moved
            write_sql_views(run.project)
    oddities += run.project.user_files.warnings
    return RefreshReport(outdated, dict(run.outcomes), failure, tuple(oddities), run.changes, run.backup)


def _outdated(run: Run, names: Sequence[str]) -> tuple[AssetStatus, ...]:
    unchecked = set(unchecked_assets(run.project))
    statuses = run.project.statuses(names or None)
    statuses = [_unchecked(s) if s.status == "fresh" and s.asset in unchecked else s for s in statuses]
    return tuple(s for s in statuses if s.status != "fresh" or s.asset in run.force)


def _still_outdated(run: Run, names: Sequence[str]) -> tuple[AssetStatus, ...]:
    """Return the assets still outdated after a run: a rebuilt output of the same version may differ in content."""
    run.force = frozenset()
    found = [status for status in run.project.statuses(names or None) if status.status != "fresh"]
    later = tuple(status for status in found if not status.causes[-1].endswith(RETRIED))  # as they were just tried
    for status in later:
        run.outcomes.pop(status.asset, None)
    return later


def _unchecked(status: AssetStatus) -> AssetStatus:
    return replace(status, status="stale", causes=(CAUSE,))


def _materialise(run: Run, statuses: Sequence[AssetStatus]) -> str | None:
    """Run the assets of `statuses`; return one sentence about the first failure, or None."""
    from kohaku_assets.components.history_fault import history_fault

    try:
        return _run(run, statuses)
    except Exception as error:
        fault = None if is_disk_full(error) else history_fault(error, os.environ["DAGSTER_HOME"])
        if fault is None:
            raise
        return fault


def _run(run: Run, statuses: Sequence[AssetStatus]) -> str | None:
    import dagster as dg

    from kohaku_assets.assets.automation import REFRESH
    from kohaku_assets.components.dagster_instance import dagster_instance
    from kohaku_assets.definitions import own_defs
    from kohaku_assets.records.dead_runs import close_dead_runs, run_tags
    from kohaku_assets.records.run_labels import label_tags

    names = [status.asset for status in statuses]
    defs = own_defs(run.project, run)
    job = dg.Definitions(
        assets=[*(defs.assets or ()), *(defs.asset_checks or ())],
        resources=dict(defs.resources or {}),
        jobs=[dg.define_asset_job(REFRESH, dg.AssetSelection.assets(*names))],
    ).resolve_job_def(REFRESH)
    with dagster_instance(run.project) as instance:
        close_dead_runs(instance)
        result = job.execute_in_process(
            instance=instance,
            raise_on_error=False,
            tags=run_tags(run.project.store) | label_tags(run.project, statuses),
            run_config={"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}},
        )
    if not result.success:
        return _failure(run, result)
    if STAGE in names and not result.asset_materializations_for_node(STAGE):
        return describe_open_batches(run)
    gaps = [f"{name}: {o.manifest.incomplete}" for name, o in run.outcomes.items() if o.manifest.incomplete]
    return gaps[0] if gaps else None


def _failure(run: Run, result) -> str:  # noqa: ANN001 - the type would import dagster
    """Return the first failure; the finding of a check is preferred, as it is more specific than its failure."""
    latest = (run.project.files.latest(name) for name in run.outcomes)
    rejected = [f"{record.stage}: {record.failed_check}" for record in latest if record and record.failed_check]
    failures = (event for event in result.all_events if event.is_step_failure)
    failed = (f"{event.step_key}: {failure_sentence(event.step_failure_data.error)}" for event in failures)
    return next(iter(rejected), None) or next(failed, "the run failed")
