"""Runs whose process has died: Dagster considers them running and starts nothing from its queue until they end."""

from __future__ import annotations

import time
from pathlib import Path

import dagster as dg

from kohaku_assets.pipeline.stages import STAGES
from kohaku_lib.errors import StoreError
from kohaku_lib.storage import StorePaths, store_lock

STORE_TAG = "kohaku/store"  # the store whose lock the run holds while its process is alive
UNTAGGED_S = 60.0  # a run gets the tag with its first step, so one without it after this time died before
_CREATED = dg.DagsterRunStatus.NOT_STARTED
_ENDED = (
    "The process of this run ended before the run did (killed, out of memory, power cut). Finished stages are saved."
)


def run_tags(store: Path) -> dict[str, str]:
    """Return the tags of a run that holds the lock of `store`; `close_dead_runs` reads them."""
    return {STORE_TAG: str(store.resolve())}


def close_dead_runs(instance: dg.DagsterInstance) -> list[str]:
    """Mark kohaku runs whose process is dead as failed, and return their ids.

    A run holds the lock of its store until it ends, so a run whose lock is free is dead, one that was created and not
    yet started too. Locks held by this process count as free: it has not started its run yet. Runs of other code
    locations are ignored.
    """
    unfinished = instance.get_runs(dg.RunsFilter(statuses=[_CREATED, dg.DagsterRunStatus.STARTED]))
    dead = [run for run in unfinished if _is_dead(instance, run)]
    for run in dead:
        instance.report_run_failed(run, _ENDED)
    return [run.run_id for run in dead]


def build_dead_run_sensor() -> dg.SensorDefinition:
    """Return the sensor that closes dead runs so that the queue continues; it requests no run."""

    @dg.sensor(name="dead_runs", minimum_interval_seconds=60, default_status=dg.DefaultSensorStatus.RUNNING)
    def dead_runs(context: dg.SensorEvaluationContext) -> dg.SkipReason:
        closed = close_dead_runs(context.instance)
        return dg.SkipReason(f"closed {', '.join(closed)}" if closed else "no dead runs")

    return dead_runs


def _is_dead(instance: dg.DagsterInstance, run: dg.DagsterRun) -> bool:
    store = run.tags.get(STORE_TAG)
    if store is not None and _is_held(Path(store)):
        return False
    if store is not None and run.parent_run_id is None:
        return True
    if run.status == _CREATED:
        return False  # Dagster launches it, and watches its start
    # A run that repeats another one has its tags before it holds the lock, as one without them it gets some time.
    keys = {*(run.step_keys_to_execute or ()), *(key.path[-1] for key in run.asset_selection or ())}
    return not keys.isdisjoint(STAGES) and _age_s(instance, run) > UNTAGGED_S


def _is_held(store: Path) -> bool:
    """Return whether another process holds the lock of `store`."""
    if not StorePaths(store).lock.is_file():
        return False
    try:
        with store_lock(store):
            return False
    except StoreError:
        return True


def _age_s(instance: dg.DagsterInstance, run: dg.DagsterRun) -> float:
    record = instance.get_run_record_by_id(run.run_id)
    return time.time() - record.start_time if record and record.start_time else 0.0
