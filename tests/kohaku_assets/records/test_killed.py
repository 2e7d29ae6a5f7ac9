"""Kill a run at any moment: the next one finishes, pays for no finished call twice, and ends with the same tables."""

import random
import shutil
import threading
import time

import dagster as dg
import duckdb
import numpy as np
import pytest
from killed_runs import LIMIT_S, KillableRun, chat_overrides, copy_inputs, recorded_calls, stage_rows
from s3_server import reachable_bucket
from stage_refresh import refresh_stages

from kohaku_assets.operations.refresh import refresh
from kohaku_assets.pipeline.project import Project
from kohaku_assets.records.dead_runs import STORE_TAG, UNTAGGED_S, build_dead_run_sensor, close_dead_runs
from kohaku_lib.composition import load_settings
from kohaku_lib.index import current_version, open_snapshot
from kohaku_lib.testing.openai_server import OpenAIServer

OLD_POOLS = "concurrency:\n  pools:\n    default_limit: 1\n    granularity: op\n"
SWAP = ("snapshots/current", "release_scores.parquet", "published_index/latest.json")


@pytest.fixture(scope="module")
def server():
    with OpenAIServer(delay_s=0.05) as server:
        yield server


@pytest.fixture(scope="module")
def calm(home, built, server, tmp_path_factory):
    """A project that was built undisturbed, with the rows of its tables and the number of its calls."""
    folder, settings = shutil.copytree(home, tmp_path_factory.mktemp("calm") / "copy"), chat_overrides(server.base_url)
    # Without the gate, as the rules that answered at first are better than this model.
    assert refresh_stages(opened(folder, [*settings, "release.gate=false"])).failure is None
    return folder, stage_rows(folder, settings), len(recorded_calls(folder))


def opened(folder, overrides):
    return Project(load_settings(overrides=overrides, environment={}, folder=folder))


def index_of(folder):
    snapshots = folder / "data" / "store" / "snapshots"
    return open_snapshot(snapshots, current_version(snapshots))


def assert_ends_like(calm, folder, server, kills, *more):
    KillableRun(folder, [*chat_overrides(server.base_url), *more]).finish()
    assert_is_like(calm, folder, server, kills, *more)


def assert_is_like(calm, folder, server, kills, *more):
    settings = [*chat_overrides(server.base_url), *more]
    calm_folder, rows, calls = calm
    assert refresh(opened(folder, settings)).statuses == ()
    assert calls <= len(server.billed) <= calls + 2 * kills  # two calls in flight at each
    assert len(recorded_calls(folder)) == len(set(recorded_calls(folder))) == calls
    assert stage_rows(folder, settings) == rows
    rough_index, calm_index = index_of(folder), index_of(calm_folder)
    assert rough_index.space_rows("main").equals(calm_index.space_rows("main"))
    cosines = np.einsum("nd,nd->n", rough_index.vectors("main"), calm_index.vectors("main"))
    assert cosines.min() >= 0.9999
    # Nothing lies about that a kill has left: versions, parts of them, runs that go on for ever.
    assert [path.name for path in rough_index.folder.parent.glob(".partial-*")] == []
    assert statuses(folder) == {"SUCCESS", "FAILURE"}


def statuses(folder):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DAGSTER_HOME", str(folder / "dagster_home"))  # which dagster.yaml reads, too
        with dg.DagsterInstance.get() as instance:
            return {run.status.value for run in instance.get_runs()}


def killed_at_call(folder, settings, server, calls):
    """Kill a run when the chat model has answered so many calls."""
    with KillableRun(folder, settings) as run:
        while len(server.billed) < calls and run.process.poll() is None:
            time.sleep(0.005)


def test_a_run_killed_in_its_calls_and_in_its_publication_ends_like_an_undisturbed_one(
    unbuilt, calm, server, tmp_path, monkeypatch
):
    """The one test of it in daily work; the slow ones kill at more places, and again and again, and parse and embed."""
    folder, settings = shutil.copytree(unbuilt, tmp_path / "rough"), chat_overrides(server.base_url)
    server.billed.clear()
    killed_at_call(folder, settings, server, 2)
    assert KillableRun(folder, settings, die_before=SWAP[0]).ends_by_itself()
    monkeypatch.setenv("DAGSTER_HOME", str(folder / "dagster_home"))
    assert refresh(opened(folder, settings)).failure is None
    assert_is_like(calm, folder, server, 1)


@pytest.mark.slow
def test_a_run_killed_at_random_moments_ends_like_an_undisturbed_one(home, calm, server, tmp_path, monkeypatch):
    folder, settings = copy_inputs(home, tmp_path / "rough"), chat_overrides(server.base_url)
    server.billed.clear()
    monkeypatch.setattr(server, "delay_s", 0.5)  # six rounds of two calls: no run is over before it is killed
    dice, kills = random.Random(0), 0
    for _ in range(3):
        with KillableRun(folder, settings) as run:
            run.wait_for_work()
            kills += run.kill_after(dice.uniform(0.0, 1.5))
    killed_at_call(folder, settings, server, 5)
    assert len(server.billed) >= 5
    assert_ends_like(calm, folder, server, kills + 1)


@pytest.mark.slow
def test_two_kills_in_a_row_at_the_index_and_within_its_publication_hang_nothing(home, calm, server, tmp_path):
    folder, settings = copy_inputs(home, tmp_path / "rough"), chat_overrides(server.base_url)
    with (folder / "dagster_home" / "dagster.yaml").open("a", encoding="utf-8") as file:
        file.write(OLD_POOLS)  # as projects have it that were made before, whose slot a killed run held for ever
    server.billed.clear()
    for _ in range(2):
        KillableRun(folder, settings).kill_at_stage("vector_tables")
    for path in SWAP:
        for _ in range(2):
            assert KillableRun(folder, settings, die_before=path).ends_by_itself(), path
    assert_ends_like(calm, folder, server, 2)


def killed_in_upload(bucket, name, run):
    """Let the bucket refuse uploads of objects with `name` in their path, and kill the run at the third that is refused."""
    refused, is_time = [], threading.Event()

    def fault(number, environment):
        if environment["REQUEST_METHOD"] != "PUT" or name not in environment["PATH_INFO"]:
            return None
        refused.append(number)
        if len(refused) == 3:
            is_time.set()
        return "503"

    bucket.fault = fault
    with run:
        assert is_time.wait(LIMIT_S)
    bucket.fault = lambda number, environment: None


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_machine_with_a_bucket_killed_six_times_ends_like_an_undisturbed_one_and_so_does_the_next_machine(
    home, calm, server, tmp_path
):
    """Killed at stages, between an upload and its pointer, and with uploads under way."""
    server.billed.clear()
    first, second = (copy_inputs(home, tmp_path / name) for name in ("first", "second"))
    with reachable_bucket() as bucket:
        in_bucket = (f"bucket.url={bucket.url}", "bucket.upload_every_s=1")
        settings = [*chat_overrides(server.base_url), *in_bucket]
        KillableRun(first, settings).kill_at_stage("tree_nodes")
        killed_in_upload(bucket, "/objects/", KillableRun(first, settings))
        KillableRun(first, settings).kill_at_stage("vector_tables")
        killed_in_upload(bucket, "/backups.json", KillableRun(first, settings))
        for stage in ("predictions", "scores"):
            KillableRun(first, settings).kill_at_stage(stage)
        assert_ends_like(calm, first, server, 6, *in_bucket)
        paid = len(server.billed)
        shutil.rmtree(first)  # this machine is gone
        assert "everything is up to date" in KillableRun(second, settings).finish()
        assert len(server.billed) == paid
        assert stage_rows(second, settings) == calm[1]


@pytest.mark.slow
def test_a_kill_before_the_checks_lets_no_worse_index_be_published(calm, server, tmp_path):
    folder, settings = shutil.copytree(calm[0], tmp_path / "copy"), chat_overrides(server.base_url)
    for name in ("kohaku-energy-report.pdf", "model-card.md", "amber-guide.md"):
        (folder / "data" / "sample" / "documents" / name).unlink()
    published = index_of(folder).version
    for name, nth in (
        ("/retrieval_scores/latest.json", 2),
        ("/scores/latest.json", 1),
    ):  # again where the check rejects it
        assert KillableRun(folder, settings, die_before=name, nth=nth).ends_by_itself()
    with KillableRun(folder, settings) as run:
        assert run.process.wait(300) == 1
    assert "not_worse_than_published" in "".join(run.lines)
    assert index_of(folder).version == published


@pytest.mark.slow
def test_a_kill_at_the_end_of_a_run_leaves_the_views_to_the_next_one(calm, server, tmp_path):
    folder, settings = shutil.copytree(calm[0], tmp_path / "copy"), [*chat_overrides(server.base_url), "lexical.k1=0.7"]
    assert KillableRun(folder, settings, die_before="kohaku.duckdb").ends_by_itself()
    KillableRun(folder, settings).finish()
    with duckdb.connect(folder / "data" / "store" / "kohaku.duckdb", read_only=True) as connection:
        [(told,)] = connection.sql("SELECT value FROM current_index.index_meta WHERE key = 'index_version'").fetchall()
    assert told == f'"{index_of(folder).version}"'


def a_run(instance, *, status=dg.DagsterRunStatus.STARTED, parent=None, **tags):
    family = {"parent_run_id": parent, "root_run_id": parent}
    run = dg.DagsterRun("refresh", status=status, tags=tags, step_keys_to_execute=["scores"], **family)
    instance.add_run(run)
    return run.run_id


def test_a_run_that_died_before_its_start_is_closed_and_one_that_dagster_launches_is_not(tmp_path):
    """A refresh creates its run with the lock held; a repeated run has the tags of the first before it has the lock."""
    created, tag = dg.DagsterRunStatus.NOT_STARTED, {STORE_TAG: str(tmp_path / "gone")}
    with dg.DagsterInstance.ephemeral() as instance:
        dead = a_run(instance, status=created, **tag)
        others = {a_run(instance, status=created), a_run(instance, status=created, parent=dead, **tag)}
        others.add(a_run(instance, parent=dead, **tag))
        assert close_dead_runs(instance) == [dead]
        assert instance.get_run_by_id(dead).status == dg.DagsterRunStatus.FAILURE
        assert {run.run_id for run in instance.get_runs() if run.status != dg.DagsterRunStatus.FAILURE} == others


def test_runs_of_dead_processes_are_closed_and_others_are_not(calm, server, tmp_path):
    folder = shutil.copytree(calm[0], tmp_path / "copy")
    settings = [*chat_overrides(server.base_url), "retrieval.top_k=3"]
    with KillableRun(folder, settings, "--force") as run, dg.DagsterInstance.ephemeral() as instance:
        run.wait_for_stage("documents")
        living = a_run(instance, **{STORE_TAG: str(folder / "data" / "store")})
        dead = a_run(instance, **{STORE_TAG: str(tmp_path / "gone")})
        starting = a_run(instance)
        assert close_dead_runs(instance) == [dead]
        run.kill()
        assert run.is_gone()
        told = build_dead_run_sensor().evaluate_tick(dg.build_sensor_context(instance)).skip_message
        assert told == f"closed {living}"
        assert instance.get_run_by_id(living).status == dg.DagsterRunStatus.FAILURE
        assert instance.get_run_by_id(starting).status == dg.DagsterRunStatus.STARTED
    assert UNTAGGED_S > 0


@pytest.mark.slow
def test_a_server_that_is_down_is_one_sentence_and_keeps_what_was_done(home, built, tmp_path):
    folder = shutil.copytree(home, tmp_path / "copy")
    with OpenAIServer() as server:
        # Its answers are worse than those of the published index, which is not the point here.
        settings = [*chat_overrides(server.base_url), "llm.call_retries=0", "release.gate=false"]
    with KillableRun(folder, settings) as run:
        assert run.process.wait(300) == 1
    said = [line for line in run.lines if line.startswith("kohaku: ")]
    assert len(said) == 1
    assert said[0].startswith("kohaku: predictions: ")
    assert "Traceback" not in "".join(run.lines)
    with OpenAIServer(port=int(server.base_url.split(":")[2].split("/")[0])) as again:
        KillableRun(folder, settings).finish()
        assert len(again.billed) > 0
