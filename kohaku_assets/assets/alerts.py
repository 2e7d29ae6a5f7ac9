"""The sensor that posts alerts: failed runs, failed checks, and assets that stay out of date."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from functools import partial

import dagster as dg

from kohaku_assets.assets.automation import REFRESH
from kohaku_assets.assets.own_runs import is_own_run
from kohaku_assets.assets.place import Place
from kohaku_assets.components.alert_posting import Alert, post_alerts
from kohaku_assets.pipeline.project import Project, Reload
from kohaku_assets.records.run_failures import failure_sentence
from kohaku_lib.errors import KohakuError

MAX_RUNS = 50  # per tick; the next tick continues
_ENDED = [dg.DagsterRunStatus.SUCCESS, dg.DagsterRunStatus.FAILURE]


@dataclass(frozen=True, slots=True)
class Seen:
    """What the sensor has dealt with: runs up to a time, and since when assets are out of date; seconds since 1970."""

    runs_until: float
    stale_since: float | None = None
    has_told: bool = False  # of the assets that are out of date


def build_alert_sensor(
    loaded: Project, reload: Reload, place: Place, now: Callable[[], float] = time.time
) -> dg.SensorDefinition:
    """Return the sensor that posts alerts to the address in the environment variable watch.webhook_env.

    Alerts that could not be posted are posted by a later tick. Runs from before its first tick, and those of other projects
    and code locations, are ignored. While settings cannot be read, which is why runs fail, those of `loaded` hold.
    """

    @dg.sensor(name=place.name("alerts"), minimum_interval_seconds=60, default_status=dg.DefaultSensorStatus.RUNNING)
    def alerts(context: dg.SensorEvaluationContext) -> dg.SkipReason:
        try:
            project = reload()
        except KohakuError:
            project = replace(loaded)  # which forgets the files that it has seen
        try:
            return dg.SkipReason(_tick(context, project, place, now()))
        except KohakuError as error:
            return dg.SkipReason(str(error))

    return alerts


def _tick(context: dg.SensorEvaluationContext, project: Project, place: Place, now: float) -> str:
    watch = project.settings.watch
    address = os.environ.get(watch.webhook_env)
    if not address:
        return f"no alerts are sent, as the environment variable {watch.webhook_env} is not set"
    seen = Seen(**json.loads(context.cursor)) if context.cursor else Seen(now)
    until, found = _run_alerts(context.instance, seen.runs_until, partial(is_own_run, project=project, place=place))
    seen, stale = _watch_staleness(project, place, replace(seen, runs_until=until), now)
    found += stale
    if found:
        post_alerts(address, project.home.name, found, watch)
    context.update_cursor(json.dumps(asdict(seen)))
    return f"posted {len(found)} alerts" if found else "nothing to report"


def _run_alerts(
    instance: dg.DagsterInstance, since: float, is_own: Callable[[dg.DagsterRun], bool]
) -> tuple[float, list[Alert]]:
    """Return the alerts of the own runs that ended after `since`, and the time up to which runs were read."""
    ended = dg.RunsFilter(statuses=_ENDED, updated_after=datetime.fromtimestamp(since, UTC))
    records = instance.get_run_records(ended, limit=MAX_RUNS, order_by="update_timestamp", ascending=True)
    found = [
        alert for record in records for alert in _alerts_of(instance, record.dagster_run) if is_own(record.dagster_run)
    ]
    return max([since, *(record.update_timestamp.timestamp() for record in records)]), found


def _alerts_of(instance: dg.DagsterInstance, run: dg.DagsterRun) -> Iterator[Alert]:
    name = f"run {run.run_id[:8]} of {run.job_name}"
    if run.status == dg.DagsterRunStatus.FAILURE:
        yield Alert("failed run", f"{name} failed: {_failures(instance, run)}")
    kinds = {dg.DagsterEventType.ASSET_CHECK_EVALUATION}
    for record in instance.get_records_for_run(run.run_id, of_type=kinds).records:
        event = record.event_log_entry.dagster_event
        check = event.asset_check_evaluation_data if event else None
        if check and not check.passed:
            about = f": {check.description}" if check.description else ""
            yield Alert("failed check", f"check {check.check_name} of {check.asset_key.to_user_string()} failed{about}")


def _failures(instance: dg.DagsterInstance, run: dg.DagsterRun) -> str:
    kinds = {dg.DagsterEventType.STEP_FAILURE, dg.DagsterEventType.ENGINE_EVENT}
    records = instance.get_records_for_run(run.run_id, of_type=kinds).records
    events = [event for record in records if (event := record.event_log_entry.dagster_event)]
    sentences = [
        f"{event.step_key}: {failure_sentence(event.step_failure_data.error)}"
        for event in events
        if event.is_step_failure
    ] or [  # before the first step, such as definitions that cannot be loaded
        failure_sentence(event.engine_event_data.error)
        for event in events
        if event.is_engine_event and event.engine_event_data.error
    ]
    return "; ".join(sentences) or "its process ended"


def _watch_staleness(project: Project, place: Place, seen: Seen, now: float) -> tuple[Seen, Sequence[Alert]]:
    try:
        stale = [status.asset for status in replace(project, known_only=True).statuses() if status.status != "fresh"]
    except KohakuError:  # files that cannot be read now: nothing is known
        return seen, ()
    if not stale:
        return replace(seen, stale_since=None, has_told=False), ()
    since = now if seen.stale_since is None else seen.stale_since
    if seen.has_told or now - since < project.settings.watch.stale_after_h * 3600:
        return replace(seen, stale_since=since), ()
    remedy = "run 'kohaku refresh'" if place.is_alone else f"launch the job {place.name(REFRESH)}"
    text = f"out of date for {(now - since) / 3600:.0f} hours: {', '.join(stale)}; {remedy}"
    return replace(seen, stale_since=since, has_told=True), (Alert("stale index", text),)
