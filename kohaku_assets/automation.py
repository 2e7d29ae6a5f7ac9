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
    """Return the sensor that notices added, changed and removed files of the source folder, once each."""

    @dg.sensor(name="source_folder", job_name="refresh", minimum_interval_seconds=30)
    def source_folder(context: dg.SensorEvaluationContext) -> dg.RunRequest | dg.SkipReason:
        stale = _stale(reload)
        if isinstance(stale, str):
            return dg.SkipReason(stale)
        if "source_files" not in stale:
            return dg.SkipReason("no file of the source folder has changed")
        seen = digest([reload().versions(["source_files"]), stale])
        if seen == context.cursor:
            return dg.SkipReason("a run for these changes has been requested already")
        context.update_cursor(seen)
        return dg.RunRequest(run_key=seen, asset_selection=_keys(stale))

    return source_folder


def _stale(reload: Reload) -> list[str] | str:
    """The assets that are out of date, or one sentence why nothing can or need be done."""
    try:
        stale = [status.asset for status in reload().statuses() if status.status != "fresh"]
    except KohakuError as error:
        return str(error)
    return stale or f"all {len(STAGES)} assets are fresh"


def _keys(names: Sequence[str]) -> list[dg.AssetKey]:
    return [dg.AssetKey(name) for name in names]
