"""One store of two machines: fetched before, uploaded after; what is complete is never lost, whatever breaks off."""

import logging
import os
import shutil

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from store_files import contents, publish_index, write_output

from kohaku_lib.errors import StoreError
from kohaku_lib.settings.operations_settings import BucketSettings
from kohaku_lib.storage.backups.backup_manifest import backup_ids
from kohaku_lib.storage.backups.object_store import ObjectStore
from kohaku_lib.storage.backups.restoring import damaged_objects, find_backup
from kohaku_lib.storage.sharing.fetching import PINNED, fetch_index
from kohaku_lib.storage.sharing.shared_store import shared_store


@pytest.fixture
def bucket(tmp_path):
    return BucketSettings(url=str(tmp_path / "bucket"))


@pytest.fixture
def machines(tmp_path):
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    return tmp_path / "a", tmp_path / "b"


def test_the_second_machine_begins_with_what_the_first_has_computed(bucket, machines):
    first, second = machines
    with shared_store(first, bucket) as has_fetched:
        assert not has_fetched
        write_output(first, "k1")
        publish_index(first, "v1")
    with shared_store(second, bucket) as has_fetched:
        assert has_fetched
        assert contents(second) == contents(first)
        write_output(second, "k2", b"another")
        publish_index(second, "v2")
    with shared_store(first, bucket):
        assert contents(first) == contents(second)


def test_what_did_not_change_is_neither_uploaded_nor_fetched(bucket, machines, tmp_path):
    first, second = machines
    for machine in (first, second, first, second):
        with shared_store(machine, bucket):
            write_output(machine, "k1")
    assert len(backup_ids(ObjectStore(bucket.url))) == 1
    assert len([path for path in (tmp_path / "bucket" / "objects").rglob("*") if path.is_file()]) == 3


def test_a_store_that_somebody_emptied_is_fetched_again(bucket, machines):
    first, second = machines
    with shared_store(first, bucket):
        write_output(first, "k1")
    whole = contents(first)
    shutil.rmtree(first / "stages")
    with shared_store(first, bucket):
        assert contents(first) == whole
    with shared_store(second, bucket):
        assert contents(second) == whole
    assert len(backup_ids(ObjectStore(bucket.url))) == 1


def test_a_pin_that_was_lifted_elsewhere_does_not_come_back_with_an_index_fetched_alone(bucket, machines):
    first, second = machines
    with shared_store(first, bucket):
        write_output(first, "k1")
        publish_index(first, "v1")
        (first / PINNED).write_text("pinned")
    fetch_index(ObjectStore(bucket.url), second)
    assert (second / PINNED).exists()
    with shared_store(first, bucket):
        (first / PINNED).unlink()
    with shared_store(second, bucket):
        assert not (second / PINNED).exists()


def test_two_machines_at_once_are_refused_and_a_failed_run_gives_the_lease_back(bucket, machines):
    first, second = machines

    def fail():
        with shared_store(first, bucket):
            write_output(first, "k1")
            with pytest.raises(StoreError, match="another machine writes"), shared_store(second, bucket):
                pass
            with shared_store(first, bucket) as has_fetched:  # the same process
                assert not has_fetched
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    with shared_store(second, bucket):
        assert contents(second) == contents(first)


def test_outputs_and_paid_calls_that_never_reached_the_bucket_stay(bucket, machines):
    first, second = machines
    with shared_store(first, bucket):
        write_output(first, "k1")
    write_output(first, "k2", b"computed before a kill")
    (first / "llm_calls").mkdir()
    (first / "llm_calls" / "1-1-a.jsonl").write_bytes(b'{"key": "paid"}\n')
    with shared_store(second, bucket):
        write_output(second, "k3")
    with shared_store(first, bucket):
        assert (first / "stages/documents/latest.json").read_bytes() == (
            second / "stages/documents/latest.json"
        ).read_bytes()
        assert (first / "stages/documents/k2.parquet").exists()
    with shared_store(second, bucket):
        assert (second / "llm_calls" / "1-1-a.jsonl").read_bytes() == b'{"key": "paid"}\n'


def test_a_ledger_that_grew_here_is_kept_and_what_was_removed_there_goes(bucket, machines):
    first, second = machines
    with shared_store(first, bucket):
        write_output(first, "k1")
        publish_index(first, "v1")
        (first / "snapshots" / "pinned").write_bytes(b"{}")
        (first / "llm_calls").mkdir()
        (first / "llm_calls" / "1-1-a.jsonl").write_bytes(b'{"key": "1"}\n')
    (first / "llm_calls" / "1-1-a.jsonl").write_bytes(b'{"key": "1"}\n{"key": "2"}\n')
    with shared_store(second, bucket):
        (second / "snapshots" / "pinned").unlink()
    with shared_store(first, bucket):
        assert (first / "llm_calls" / "1-1-a.jsonl").read_bytes() == b'{"key": "1"}\n{"key": "2"}\n'
        assert not (first / "snapshots" / "pinned").exists()


def test_a_state_that_cannot_be_fetched_whole_is_never_followed_by_another(bucket, machines, tmp_path):
    first, second = machines
    with shared_store(first, bucket):
        write_output(first, "k1")
        write_output(first, "k1", stage="questions", content=b"lost")
    objects = ObjectStore(bucket.url)
    backup = find_backup(objects)
    objects.remove(backup.files["stages/questions/k1.parquet"].object_name)
    before = backup_ids(objects)
    with pytest.raises(StoreError, match=r"k1.parquet is missing or damaged"), shared_store(second, bucket):
        pass
    assert backup_ids(objects) == before
    with shared_store(second, BucketSettings(url=str(tmp_path / "empty"))):  # another bucket begins with what is here
        write_output(second, "k1", stage="questions", content=b"lost")
    assert (
        list(
            damaged_objects(
                ObjectStore(str(tmp_path / "empty")), find_backup(ObjectStore(str(tmp_path / "empty"))), tmp_path
            )
        )
        == []
    )


def test_a_machine_that_only_answers_fetches_the_published_index_and_nothing_else(bucket, machines, caplog):
    first, second = machines
    objects = ObjectStore(bucket.url)
    assert fetch_index(objects, second) is False
    with shared_store(first, bucket):
        write_output(first, "k1")
        publish_index(first, "v1")
        publish_index(first, "v2", b"newer")
    assert fetch_index(objects, second) is True
    assert set(contents(second)) == {"snapshots/current", "snapshots/v2/meta.json", "snapshots/v2/vectors.npy"}
    assert fetch_index(objects, second) is False
    objects.put("backups.json", b"damaged")
    with caplog.at_level(logging.WARNING):
        assert fetch_index(objects, second) is False
    assert "answered from the index that is here: backups.json" in caplog.text
    with pytest.raises(StoreError, match="is damaged"):
        fetch_index(objects, first.parent / "c")


def test_an_index_fetched_alone_is_completed_before_anything_is_uploaded(bucket, machines):
    first, second = machines
    with shared_store(first, bucket):
        write_output(first, "k1")
        publish_index(first, "v1")
    fetch_index(ObjectStore(bucket.url), second)
    with shared_store(second, bucket):
        pass
    assert contents(second) == contents(first)
    assert len(backup_ids(ObjectStore(bucket.url))) == 1


STEPS = st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from("kmn"), st.booleans()), max_size=6)


@settings(max_examples=25)
@given(STEPS)
def test_whoever_writes_and_whatever_is_killed_the_last_uploaded_outputs_are_everywhere(tmp_path_factory, steps):
    folder = tmp_path_factory.mktemp("machines")
    bucket, expected = BucketSettings(url=str(folder / "bucket")), {}
    for machine, key, is_killed in steps:
        store = folder / machine
        store.mkdir(exist_ok=True)
        if is_killed:  # it wrote, and never came to the upload
            write_output(store, key, key.encode())
            continue
        with shared_store(store, bucket):
            write_output(store, key, key.encode())
        expected |= {f"stages/documents/{key}.parquet": key.encode()}
    for machine in "ab":
        (folder / machine).mkdir(exist_ok=True)
        with shared_store(folder / machine, bucket):
            found = contents(folder / machine)
        assert {path: found.get(path) for path in expected} == expected


def test_in_a_folder_of_a_group_all_that_one_user_wrote_can_be_read_and_written_by_the_others(
    bucket, machines, tmp_path
):
    (tmp_path / "bucket").mkdir(mode=0o770)
    before = os.umask(0o002)
    try:
        with shared_store(machines[0], bucket):
            write_output(machines[0], "k1")
            publish_index(machines[0], "v1")
            (machines[0] / "stages" / "private.txt").write_text("amber")
            (machines[0] / "stages" / "private.txt").chmod(
                0o600
            )  # as the user keeps it is not as it lies in the bucket
    finally:
        os.umask(before)
    written = sorted((tmp_path / "bucket").rglob("*"))
    assert len([path for path in written if path.is_file()]) > 4
    assert [path for path in written if path.stat().st_mode & 0o060 != 0o060] == []
