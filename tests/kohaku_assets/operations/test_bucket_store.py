"""A project whose store is in a bucket: another machine answers at once, computes nothing, and goes on after any kill."""

import shutil

import pytest
from batch_api import BatchAPI
from click.testing import CliRunner
from killed_runs import copy_inputs, recorded_calls

from kohaku_assets.cli import main
from kohaku_assets.components.batching import make_queue
from kohaku_assets.components.preflight import open_checked
from kohaku_assets.operations.batch_waiting import cancel_batches, refresh_until_answered
from kohaku_assets.operations.doctor.examine import examine
from kohaku_assets.operations.publishing import change_publication
from kohaku_assets.operations.refresh import refresh
from kohaku_assets.pipeline.project import Project
from kohaku_assets.pipeline.run import Run
from kohaku_lib.composition import load_settings
from kohaku_lib.errors import StoreError
from kohaku_lib.index import current_version, pinned
from kohaku_lib.storage.backups.object_store import ObjectStore
from kohaku_lib.storage.backups.restoring import find_backup
from kohaku_lib.storage.sharing.shared_store import shared_store

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")
INDEX_ALONE = "corpus.questions="
QUESTION = "How much electricity did the machine room use in 2023?"


@pytest.fixture
def machine(unbuilt, tmp_path, monkeypatch):
    """Return a function that makes the project of an empty machine: a folder and a Dagster home of its own.

    The one called "first" has its documents parsed and embedded, which is not the point here.
    """

    def make(name, *overrides):
        folder = tmp_path / name
        if not folder.exists():
            shutil.copytree(unbuilt, folder) if name == "first" else copy_inputs(unbuilt, folder)
        monkeypatch.setenv("DAGSTER_HOME", str(folder / "dagster_home"))
        settings = (f"bucket.url={tmp_path / 'bucket'}", *overrides)
        return Project(load_settings(overrides=settings, environment={}, folder=folder))

    return make


def test_an_empty_machine_answers_from_the_bucket_and_a_refresh_there_computes_nothing(machine):
    first = machine("first", INDEX_ALONE)
    assert refresh(first).failure is None
    answer = open_checked(first).ask(QUESTION)
    second = machine("second", INDEX_ALONE)
    assert not second.store.exists()
    assert open_checked(second).ask(QUESTION) == answer
    assert not (second.store / "stages").exists()  # only the index was fetched
    assert refresh(second).outcomes == {}
    assert {status.status for status in second.statuses()} == {"fresh"}
    assert examine(second, mend=False) == []
    changed = refresh(machine("second", INDEX_ALONE, "lexical.k1=0.7"))
    assert "documents" not in changed.outcomes
    assert refresh(machine("first", INDEX_ALONE, "lexical.k1=0.7")).outcomes == {}
    assert current_version(first.snapshots) == current_version(second.snapshots)


@pytest.mark.slow
def test_a_roll_back_is_that_of_all_machines_and_two_at_once_are_refused(machine):
    first = machine("first")
    refresh(first)
    refresh(machine("first", "lexical.k1=0.7", "release.gate=false"))
    second = machine("second", "lexical.k1=0.7", "release.gate=false")
    refresh(second)
    published = change_publication(second)
    open_checked(first)
    assert current_version(first.snapshots) == published
    assert pinned(first.snapshots) is not None
    with (
        shared_store(first.store, first.settings.bucket),
        pytest.raises(StoreError, match=r"another machine writes to .*try again when it has ended"),
    ):
        refresh(second)


def test_a_batch_of_one_machine_is_collected_once_by_whichever_looks_first(machine):
    def project(name):
        told = [
            "llm.provider=openai",
            "answer.by=model",
            "llm.batch=true",
            f"llm.base_url={api.base_url}",
            "answer.max_retries=0",
        ]
        return machine(name, *told, "planner.kind=rule", "release.gate=false")

    def never(seconds):
        pytest.fail("the batch has ended")

    with BatchAPI() as api:
        assert "12 calls wait in 1 batch" in str(refresh(project("first")).failure)
        assert "12 calls wait in 1 batch" in str(refresh(project("second")).failure)
        assert len(api.batches) == 1
        api.finish()
        for name in ("second", "first"):  # to the first, its batch is still open
            report = refresh_until_answered(Run(project(name)), 1.0, lambda looked: None, never)
            assert report is not None
            assert report.failure is None
        for name in ("second", "first"):
            assert [record.state for record in make_queue(Run(project(name))).records.all()] == ["closed"]
            calls = recorded_calls(project(name).home)
            assert len(calls) == len(set(calls)) == len(api.billed) == 12


def test_no_machine_cancels_batches_while_another_one_writes(machine):
    first, second = machine("first"), machine("second")
    refresh(first, ["source_files"])
    with (
        shared_store(first.store, first.settings.bucket),
        pytest.raises(StoreError, match="another machine writes to"),
    ):
        cancel_batches(Run(second))
    cancel_batches(Run(second))  # once it has ended


@pytest.mark.slow
def test_what_gc_removes_on_one_machine_is_removed_on_all(machine):
    first = machine("first")
    for stemmer in ("english", "german"):
        refresh(machine("first", f"lexical.stemmer={stemmer}"), ["lexical_index"])
    second = machine("second", "lexical.stemmer=german")
    assert refresh(second, ["lexical_index"]).outcomes == {}

    def outputs(project):
        return {path.name for path in (project.store / "stages" / "lexical_index").glob("*.parquet")}

    assert len(outputs(second)) == 2
    config = str(second.home / "kohaku.toml")
    settings = ("--set", f"bucket.url={second.settings.bucket.url}", "--set", "lexical.stemmer=german")
    assert (
        CliRunner().invoke(main, ["gc", "--keep", "1", "--states", "0", "--config", config, *settings]).exit_code == 0
    )
    assert len(outputs(second)) == 1
    assert refresh(machine("first", "lexical.stemmer=german"), ["lexical_index"]).outcomes == {}
    assert outputs(first) == outputs(second)


@pytest.mark.slow
def test_the_doctor_finds_what_a_bucket_lost_and_uploads_what_is_here(machine, tmp_path):
    first = machine("first")
    refresh(first)
    state = find_backup(ObjectStore(str(tmp_path / "bucket")))
    lost = next(path for path in state.files if path.endswith("nodes.arrow"))
    altered = next(path for path in state.files if path.startswith("stages/scores/") and path.endswith(".parquet"))
    (tmp_path / "bucket" / state.files[lost].object_name).unlink()
    with (tmp_path / "bucket" / state.files[altered].object_name).open("r+b") as stream:
        stream.write(b"PARX")
    found = examine(first, mend=False)
    assert {one.path for one in found} == {f"bucket/{lost}", f"bucket/{altered}"}
    assert [one.done for one in examine(first, mend=True)] == ["uploaded again"] * 2
    assert examine(first, mend=False) == []
