"""Jobs, the nightly schedule, the sensors of files and of batches: when runs are requested, never what they compute."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import dagster as dg

from kohaku_assets.components.batching import make_queue
from kohaku_assets.pipeline.project import Project
from kohaku_assets.pipeline.run import Run
from kohaku_assets.pipeline.stages import GROUPS, STAGES
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
        seen = digest(reload().versions(["source_files"]))
        if "source_files" not in stale and not _is_failed_cursor(context, seen):
            return dg.SkipReason(_UNCHANGED)
        return _request(context, seen, stale, "these changes")

    return source_folder


def build_batch_sensor(reload: Reload) -> dg.SensorDefinition:
    """Return the sensor that asks for a run when a batch of calls has ended: it takes the replies in and goes on.

    It asks once per batch, and again, up to `MOST_RUNS` in all, while that run has failed. Without an open batch
    nobody is asked anything, so it runs from the start.
    """

    @dg.sensor(
        name="batches",
        job_name="refresh",
        minimum_interval_seconds=60,
        default_status=dg.DefaultSensorStatus.RUNNING,
    )
    def batches(context: dg.SensorEvaluationContext) -> dg.RunRequest | dg.SkipReason:
        try:
            looked = make_queue(Run(reload())).look()
        except KohakuError as error:
            return dg.SkipReason(str(error))
        ended = [record for record in looked if record.is_over or record.batch_id is None]
        if not ended:
            open_batches = ", ".join(
                f"{one.batch_id}: {one.status}, {one.done or 0} of {one.requests}" for one in looked
            )
            return dg.SkipReason(open_batches or "no batch is open")
        stale = _stale(reload)
        if isinstance(stale, str):
            return dg.SkipReason(stale)
        # A batch that was prepared only, and made by the next run, bears the same token and ends once more.
        seen = digest([[record.token, record.batch_id] for record in ended])
        return _request(context, seen, stale, "these batches")

    return batches


def _request(
    context: dg.SensorEvaluationContext, seen: str, stale: Sequence[str], why: str
) -> dg.RunRequest | dg.SkipReason:
    """Ask for a run of `stale` once for what was `seen`, and again while that run has failed."""
    runs = 0
    if context.cursor and context.cursor.startswith(f"{seen}-"):
        runs = int(context.cursor.removeprefix(f"{seen}-"))
        if not _has_failed(context.instance, context.cursor):
            return dg.SkipReason(f"a run for {why} has been requested already")
        if runs >= MOST_RUNS:
            return dg.SkipReason(f"{runs} runs for {why} have failed; mend the cause, then refresh by hand")
    key = f"{seen}-{runs + 1}"
    context.update_cursor(key)
    return dg.RunRequest(run_key=key, asset_selection=_keys(stale))


def _is_failed_cursor(context: dg.SensorEvaluationContext, seen: str) -> bool:
    """Return whether a run for `seen` was requested and has failed."""
    is_same = bool(context.cursor and context.cursor.startswith(f"{seen}-"))
    return is_same and _has_failed(context.instance, str(context.cursor))


def _has_failed(instance: dg.DagsterInstance, run_key: str) -> bool:
    """Return whether the run that was requested under `run_key` has failed; one that somebody stopped has not."""
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
