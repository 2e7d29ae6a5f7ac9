"""Jobs, the nightly schedule, and the sensors for source files and batches: when runs are requested."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import dagster as dg

from kohaku_assets.assets.place import Place
from kohaku_assets.assets.step_resources import run_tags
from kohaku_assets.assets.usage_assets import GROUP as USAGE
from kohaku_assets.assets.usage_assets import USAGE_ASSETS
from kohaku_assets.components.batching import make_queue
from kohaku_assets.pipeline.project import Reload
from kohaku_assets.pipeline.run import Run
from kohaku_assets.pipeline.stages import GROUPS, STAGES
from kohaku_assets.pipeline.staleness import AssetStatus
from kohaku_assets.records.run_labels import why_tag
from kohaku_lib.digests import digest
from kohaku_lib.errors import KohakuError
from kohaku_lib.settings.operations_settings import ResourcesSettings

REFRESH = "refresh"  # the job over all groups, also that of the command line
MAX_RUNS = 3  # per change of the source folder or per set of ended batches
JOBS: dict[str, tuple[str, ...]] = {  # the assets of each
    **{group: tuple(name for name, stage in STAGES.items() if stage.group == group) for group in GROUPS},
    USAGE: USAGE_ASSETS,
    REFRESH: tuple(STAGES),
}
_UNCHANGED = "no file of the source folder has changed"


def build_jobs(resources: ResourcesSettings, place: Place) -> list[Any]:
    """Return one job per asset group, and `refresh` over all groups of the pipeline.

    Their runs ask Kubernetes for the most that a step of theirs asks for by `resources`.
    """
    return [
        dg.define_asset_job(
            place.name(name),
            dg.AssetSelection.assets(*place.keys(assets)),
            tags=run_tags(None if name == REFRESH else name, resources),
        )
        for name, assets in JOBS.items()
    ]


def build_schedule(reload: Reload, place: Place) -> dg.ScheduleDefinition:
    """Return the nightly schedule, which requests the assets that are stale at that time."""

    @dg.schedule(name=place.name("nightly"), job_name=place.name(REFRESH), cron_schedule="0 2 * * *")
    def nightly() -> dg.RunRequest | dg.SkipReason:
        stale = _stale_assets(reload)
        if isinstance(stale, str):
            return dg.SkipReason(stale)
        return dg.RunRequest(**_asked(stale, place))

    return nightly


def build_sensor(reload: Reload, place: Place) -> dg.SensorDefinition:
    """Return the sensor that detects added, changed and removed files in the source folder.

    It requests one run per change, and retries failed runs up to `MAX_RUNS` in total.
    """

    @dg.sensor(name=place.name("source_folder"), job_name=place.name(REFRESH), minimum_interval_seconds=30)
    def source_folder(context: dg.SensorEvaluationContext) -> dg.RunRequest | dg.SkipReason:
        stale = _stale_assets(reload)
        if isinstance(stale, str):
            return dg.SkipReason(stale)
        file_version = place.name(digest(reload().versions(["source_files"])))
        if "source_files" not in [status.asset for status in stale] and not _is_failed_cursor(context, file_version):
            return dg.SkipReason(_UNCHANGED)
        return _request_run_once(context, file_version, _asked(stale, place), "these changes")

    return source_folder


def build_batch_sensor(reload: Reload, place: Place) -> dg.SensorDefinition:
    """Return the sensor that requests a run when a batch of calls has ended, to collect its replies and continue.

    It requests one run per batch, and retries failed runs up to `MAX_RUNS` in total. Without an open batch it sends
    no request to a provider, so it is enabled by default.
    """

    @dg.sensor(
        name=place.name("batches"),
        job_name=place.name(REFRESH),
        minimum_interval_seconds=60,
        default_status=dg.DefaultSensorStatus.RUNNING,
    )
    def batches(context: dg.SensorEvaluationContext) -> dg.RunRequest | dg.SkipReason:
        try:
            polled = make_queue(Run(reload())).look()
        except KohakuError as error:
            return dg.SkipReason(str(error))
        ended = [record for record in polled if record.is_over or record.batch_id is None]
        if not ended:
            open_batches = ", ".join(
                f"{one.batch_id}: {one.status}, {one.done or 0} of {one.requests}" for one in polled
            )
            return dg.SkipReason(open_batches or "no batch is open")
        stale = _stale_assets(reload)
        if isinstance(stale, str):
            return dg.SkipReason(stale)
        # A batch that was only prepared and then submitted by the next run has the same token and ends again.
        batch_digest = place.name(digest([[record.token, record.batch_id] for record in ended]))
        return _request_run_once(context, batch_digest, _asked(stale, place), "these batches")

    return batches


def _request_run_once(
    context: dg.SensorEvaluationContext, input_digest: str, asked: Mapping[str, Any], why: str
) -> dg.RunRequest | dg.SkipReason:
    """Request the run that is `asked` for once per `input_digest`; retry if that run failed."""
    runs = 0
    if context.cursor and context.cursor.startswith(f"{input_digest}-"):
        runs = int(context.cursor.removeprefix(f"{input_digest}-"))
        if not _has_failed(context.instance, context.cursor):
            return dg.SkipReason(f"a run for {why} has been requested already")
        if runs >= MAX_RUNS:
            return dg.SkipReason(f"{runs} runs for {why} have failed; fix the cause, then refresh manually")
    key = f"{input_digest}-{runs + 1}"
    context.update_cursor(key)
    return dg.RunRequest(run_key=key, **asked)


def _is_failed_cursor(context: dg.SensorEvaluationContext, input_digest: str) -> bool:
    """Return whether a run for `input_digest` was requested and has failed."""
    is_same = bool(context.cursor and context.cursor.startswith(f"{input_digest}-"))
    return is_same and _has_failed(context.instance, str(context.cursor))


def _has_failed(instance: dg.DagsterInstance, run_key: str) -> bool:
    """Return whether the run requested under `run_key` has failed; a cancelled run has not."""
    runs = instance.get_runs(dg.RunsFilter(tags={"dagster/run_key": run_key}), limit=1)
    return bool(runs) and runs[0].status == dg.DagsterRunStatus.FAILURE


def _stale_assets(reload: Reload) -> list[AssetStatus] | str:
    """The outdated assets, or one sentence why nothing can or needs to be run."""
    try:
        statuses = reload().statuses()
    except KohakuError as error:
        return str(error)
    stale = [status for status in statuses if status.status != "fresh"]
    return stale or f"all {len(statuses)} assets are fresh"


def _asked(stale: Sequence[AssetStatus], place: Place) -> dict[str, Any]:
    """Return what a run of the assets that are out of date selects, and the tag that says why."""
    return {"asset_selection": place.keys(status.asset for status in stale), "tags": why_tag(stale)}
