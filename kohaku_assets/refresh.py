"""Bring what is out of date up to date, in one Dagster run, and nothing else."""

from __future__ import annotations

import logging
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from kohaku_assets.batching import STAGE, waiting_sentence
from kohaku_assets.cut_short import CAUSE, unchecked_assets
from kohaku_assets.preflight import check_inputs, check_means
from kohaku_assets.project import Project
from kohaku_assets.scaffold import DAGSTER
from kohaku_assets.stage_inputs import StageOutcome
from kohaku_assets.stages import STAGES
from kohaku_assets.staleness import AssetStatus
from kohaku_assets.warming import warm_up
from kohaku_lib.errors import KohakuError
from kohaku_lib.storage import store_lock, write_atomically
from kohaku_lib.storage.disk_full import is_disk_full

_INTERRUPTION = "DagsterExecutionInterruptedError"
_STOPPED = "stopped; what was finished and paid for is kept, and the next refresh goes on from there"


@dataclass(frozen=True, slots=True)
class RefreshReport:
    """The assets that were out of date with their causes, what running them came to, and the failure, if any.

    `oddities` are what was odd about the user's files before anything ran.
    """

    statuses: tuple[AssetStatus, ...]
    outcomes: dict[str, StageOutcome]
    failure: str | None = None
    oddities: tuple[str, ...] = ()

    @property
    def was_stopped(self) -> bool:
        """Whether the failure is that somebody stopped the run."""
        return self.failure is not None and self.failure.endswith(_STOPPED)


def refresh(project: Project, names: Sequence[str] = ()) -> RefreshReport:
    """Run the assets that are stale or missing among `names` (all by default) and their ancestors, and forced ones.

    What is fresh is not run. Raises KohakuError where an asset does not exist, files cannot be read or another
    run holds the store; a failure inside a run is returned, and what was finished before it is kept.
    """
    unknown = [name for name in names if name not in STAGES]
    if unknown:
        msg = f"there is no asset {unknown[0]!r}; the assets are {', '.join(STAGES)}"
        raise KohakuError(msg)
    with store_lock(project.store):
        statuses = project.statuses(names or None)
        unchecked = set(unchecked_assets(project))
        statuses = [_unchecked(s) if s.status == "fresh" and s.asset in unchecked else s for s in statuses]
        outdated = tuple(s for s in statuses if s.status != "fresh" or s.asset in project.force)
        oddities = check_inputs(project, [s.asset for s in outdated])
        check_means(project, [s.asset for s in outdated])
        warm_up(project, [s.asset for s in outdated])
        failure = _materialise(project, [s.asset for s in outdated]) if outdated else None
        if outdated and failure is None:
            project.force = frozenset()
            # What was built anew under the same version may hold something else than its readers have read.
            later = tuple(s for s in project.statuses(names or None) if s.status != "fresh")
            for status in later:
                project.outcomes.pop(status.asset, None)
            failure = _materialise(project, [s.asset for s in later]) if later else None
            outdated += later
    return RefreshReport(outdated, dict(project.outcomes), failure, tuple(oddities))


def _unchecked(status: AssetStatus) -> AssetStatus:
    return replace(status, status="stale", causes=(CAUSE,))


def _materialise(project: Project, names: Sequence[str]) -> str | None:
    """Run `names` and return None, or one sentence about the first failure."""
    from kohaku_assets.history import history_fault

    try:
        return _run(project, names)
    except Exception as error:
        fault = None if is_disk_full(error) else history_fault(error, os.environ["DAGSTER_HOME"])
        if fault is None:
            raise
        return fault


def _run(project: Project, names: Sequence[str]) -> str | None:
    import dagster as dg

    from kohaku_assets.dead_runs import close_dead_runs, run_tags
    from kohaku_assets.definitions import build_defs
    from kohaku_assets.history import quick_history

    defs = build_defs(project)
    with quick_history(), dagster_instance(project) as instance:
        close_dead_runs(instance)
        result = dg.materialize(
            [*(defs.assets or ()), *(defs.asset_checks or ())],  # type: ignore[arg-type]
            resources=dict(defs.resources or {}),
            selection=dg.AssetSelection.assets(*names),
            instance=instance,
            raise_on_error=False,
            tags=run_tags(project.store),
            run_config={"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}},
        )
    if not result.success:
        return _failure(project, result)
    if STAGE in names and not result.asset_materializations_for_node(STAGE):
        return waiting_sentence(project)
    gaps = [f"{name}: {o.manifest.incomplete}" for name, o in project.outcomes.items() if o.manifest.incomplete]
    return gaps[0] if gaps else None


def dagster_instance(project: Project):  # noqa: ANN201 - the type would import dagster
    """Return the Dagster instance of `DAGSTER_HOME`, else of dagster_home/ in the project's folder."""
    import dagster as dg

    own = (project.home / "dagster_home").resolve()
    home = Path(os.environ.setdefault("DAGSTER_HOME", str(own)))
    is_new = home == own or not home.exists() or not any(home.iterdir())
    if is_new and not (home / "dagster.yaml").exists():  # without one, Dagster would send telemetry
        write_atomically(home / "dagster.yaml", lambda path: path.write_text(DAGSTER, encoding="utf-8"))
    for name in ("dagster", "dagster._core.execution.plan.active"):  # the latter tells of checks that wait with a stage
        logging.getLogger(name).setLevel(logging.ERROR)
    return dg.DagsterInstance.get()


def _failure(project: Project, result) -> str:  # noqa: ANN001 - the type would import dagster
    """What a check has found says more than that a check has failed."""
    latest = (project.files.latest(name) for name in project.outcomes)
    rejected = [f"{record.stage}: {record.failed_check}" for record in latest if record and record.failed_check]
    failures = (event for event in result.all_events if event.is_step_failure)
    failed = (f"{event.step_key}: {_sentence(event.step_failure_data.error)}" for event in failures)
    return next(iter(rejected), None) or next(failed, "the run failed")


def _sentence(error) -> str:  # noqa: ANN001 - the type would import dagster
    """Our own sentence where one of the wrapped errors is ours, else what went wrong at the bottom."""
    if error is None:
        return "failed"
    if error.cls_name == _INTERRUPTION:
        return _STOPPED
    own = f"{KohakuError.__module__}."
    while not error.message.startswith(own) and error.cause is not None:
        error = error.cause
    text = error.message.strip()
    return text.partition(": ")[2] if text.startswith(own) else text
