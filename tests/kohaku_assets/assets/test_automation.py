"""The nightly schedule at its hour and the sensor of the documents: what they request is run, and requested once."""

import itertools
import shutil
from datetime import UTC, datetime
from functools import partial

import dagster as dg
import pytest
from dagster._utils.schedules import schedule_execution_time_iterator
from stage_refresh import refresh_stages

from kohaku_assets.assets.automation import MAX_RUNS, REFRESH, build_schedule, build_sensor
from kohaku_assets.assets.place import Place
from kohaku_assets.definitions import own_defs
from kohaku_assets.pipeline.project import Project
from kohaku_lib.composition import load_settings

EVENING = datetime(2026, 11, 23, 21, 30, tzinfo=UTC)


@pytest.fixture
def instance():
    with dg.DagsterInstance.ephemeral() as instance:
        yield instance


@pytest.fixture(scope="module")
def unasked(home, built, tmp_path_factory):
    """The sample project, built without questions, so that a run costs little."""
    folder = shutil.copytree(home, tmp_path_factory.mktemp("unasked") / "project")
    assert refresh_stages(opened(folder)).failure is None
    return folder


@pytest.fixture
def fresh(unasked, tmp_path, monkeypatch):
    """As `fresh` elsewhere, but of that project."""
    folder = shutil.copytree(unasked, tmp_path / "copy")
    monkeypatch.setenv("DAGSTER_HOME", str(folder / "dagster_home"))
    return partial(opened, folder)


def opened(folder):
    return Project(load_settings(overrides=["corpus.questions="], environment={}, folder=folder))


def run_request(fresh, instance, request):
    """Run what a tick has requested, as the daemon does: by name of the job, with the tags of its key."""
    job = own_defs(fresh()).resolve_job_def(REFRESH)
    tags = request.tags | ({"dagster/run_key": request.run_key} if request.run_key else {})
    return job.execute_in_process(
        instance=instance, asset_selection=request.asset_selection, tags=tags, raise_on_error=False
    )


def sensor_tick(fresh, instance, cursor=None):
    return build_sensor(fresh, Place()).evaluate_tick(
        dg.build_sensor_context(instance, cursor, repository_def=own_defs(fresh()).get_repository_def())
    )


def test_every_night_at_two_what_is_stale_is_refreshed_and_a_quiet_night_runs_nothing(fresh, instance):
    schedule = build_schedule(fresh, Place())
    times = schedule_execution_time_iterator(EVENING.timestamp(), schedule.cron_schedule, schedule.execution_timezone)
    hours = [time.isoformat() for time in itertools.islice(times, 2)]
    assert hours == ["2026-11-24T02:00:00+00:00", "2026-11-25T02:00:00+00:00"]

    def tick(hour):
        moment = datetime.fromisoformat(hour)
        return schedule.evaluate_tick(dg.build_schedule_context(instance, scheduled_execution_time=moment))

    assert "assets are fresh" in tick(hours[0]).skip_message
    log = fresh().settings.corpus.documents / "machine-room-log.txt"
    log.write_text(f"{log.read_text(encoding='utf-8')}\nNo lamp burns on Sundays.\n", encoding="utf-8")
    [request] = tick(hours[1]).run_requests
    assert "source_files" in {key.to_user_string() for key in request.asset_selection}
    assert "files changed" in request.tags["kohaku/why"]
    assert run_request(fresh, instance, request).success
    assert "assets are fresh" in tick("2026-11-26T02:00:00+00:00").skip_message


def test_an_added_file_is_indexed_by_one_run_and_a_removed_one_by_another(fresh, instance):
    documents = fresh().settings.corpus.documents
    assert "fresh" in sensor_tick(fresh, instance).skip_message
    (documents / "harbour.txt").write_text("Harbour\n\nThe harbour of Nida has 41 berths.\n", encoding="utf-8")
    first = sensor_tick(fresh, instance)
    [request] = first.run_requests
    assert "requested already" in sensor_tick(fresh, instance, first.cursor).skip_message
    assert run_request(fresh, instance, request).success
    assert "harbour" in fresh().present_table("documents").column("document_id").to_pylist()
    assert "fresh" in sensor_tick(fresh, instance, first.cursor).skip_message
    (documents / "harbour.txt").unlink()
    [again] = sensor_tick(fresh, instance, first.cursor).run_requests
    assert again.run_key != request.run_key
    assert run_request(fresh, instance, again).success
    assert "harbour" not in fresh().present_table("documents").column("document_id").to_pylist()


def test_a_run_that_fails_is_requested_again_a_few_times_and_then_left_to_people(fresh, instance):
    (fresh().settings.corpus.documents / "harbour.txt").write_text("Harbour\n\n41 berths.\n", encoding="utf-8")
    cursor, keys = None, []
    for _ in range(MAX_RUNS):
        tick = sensor_tick(fresh, instance, cursor)
        [request] = tick.run_requests
        cursor = tick.cursor
        keys.append(request.run_key)
        tags = {"dagster/run_key": request.run_key or ""}
        failed = dg.DagsterRun(REFRESH, status=dg.DagsterRunStatus.FAILURE, tags=tags)
        instance.add_run(failed)
    assert len(set(keys)) == MAX_RUNS
    assert f"{MAX_RUNS} runs for these changes have failed" in sensor_tick(fresh, instance, cursor).skip_message
