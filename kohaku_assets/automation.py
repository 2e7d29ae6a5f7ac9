"""Jobs, the nightly schedule and the source-folder sensor: when runs are asked for, never what they compute."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import dagster as dg

from kohaku_assets.project import Project
from kohaku_assets.stages import GROUPS, STAGES
from kohaku_lib.digests import digest
from kohaku_lib.errors import KohakuError

Reload = Callable[[], Project]  # reads settings and files afresh
MOST_RUNS = 3  # for one and the same change of the source folder
_UNCHANGED = "no file of the source folder has changed"


def build_jobs() -> list[Any]:
    """Return a job per group, and `refresh` over all of them."""
    groups = [dg.define_asset_job(group, dg.AssetSelection.groups(group)) for group in GROUPS]
    return [*groups, dg.define_asset_job("refresh", dg.AssetSelection.groups(*GROUPS))]


def build_schedule(reload: Reload) -> dg.ScheduleDefinition:
    """Return the nightly schedule: it requests what is stale by the settings and files of that moment."""

    @dg.schedule(name="nightly", job_name="refresh", cron_schedule="0 2 * * *")
    def nightly() -> dg.RunRequest | dg.SkipReason:
        stale = _stale(reload)
        if isinstance(stale, str):
            return dg.SkipReason(stale)
        return dg.RunRequest(asset_selection=_keys(stale))

    return nightly


def build_sensor(reload: Reload) -> dg.SensorDefinition:
    """Return the sensor that notices added, changed and removed files of the source folder.

    It asks for a run once per change, and again, up to `MOST_RUNS` in all, while that run has failed.
    """

    @dg.sensor(name="source_folder", job_name="refresh", minimum_interval_seconds=30)
    def source_folder(context: dg.SensorEvaluationContext) -> dg.RunRequest | dg.SkipReason:
        stale = _stale(reload)
        if isinstance(stale, str):
            return dg.SkipReason(stale)
        seen, runs = digest(reload().versions(["source_files"])), 0
        has_changed = "source_files" in stale
        if context.cursor and context.cursor.startswith(f"{seen}-"):
            runs = int(context.cursor.removeprefix(f"{seen}-"))
            if not _has_failed(context.instance, context.cursor):
                asked = "a run for these changes has been requested already"
                return dg.SkipReason(asked if has_changed else _UNCHANGED)
            if runs >= MOST_RUNS:
                return dg.SkipReason(f"{runs} runs for these changes have failed; mend the cause, then refresh by hand")
        elif not has_changed:
            return dg.SkipReason(_UNCHANGED)
        key = f"{seen}-{runs + 1}"
        context.update_cursor(key)
        return dg.RunRequest(run_key=key, asset_selection=_keys(stale))

    return source_folder


def _has_failed(instance: dg.DagsterInstance, run_key: str) -> bool:
    """Tell whether the run that was requested under `run_key` has failed; one that somebody stopped has not."""
    runs = instance.get_runs(dg.RunsFilter(tags={"dagster/run_key": run_key}), limit=1)
    return bool(runs) and runs[0].status == dg.DagsterRunStatus.FAILURE


def _stale(reload: Reload) -> list[str] | str:
    """The assets that are out of date, or one sentence why nothing can or need be done."""
    try:
        stale = [status.asset for status in reload().statuses() if status.status != "fresh"]
    except KohakuError as error:
        return str(error)
    return stale or f"all {len(STAGES)} assets are fresh"


def _keys(names: Sequence[str]) -> list[dg.AssetKey]:
    return [dg.AssetKey(name) for name in names]
