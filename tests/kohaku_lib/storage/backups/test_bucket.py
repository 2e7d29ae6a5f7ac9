"""Backups in a bucket (moto's S3 server on the loopback), whose server refuses, cuts and forgets."""

import hashlib
import json

import pytest
from s3_server import reachable_bucket

from kohaku_lib.errors import StoreError
from kohaku_lib.storage.backups.backing_up import back_up
from kohaku_lib.storage.backups.backup_manifest import backup_ids
from kohaku_lib.storage.backups.object_store import ObjectStore
from kohaku_lib.storage.backups.restoring import damaged_objects, find_backup, restore

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


@pytest.fixture
def bucket():
    with reachable_bucket() as bucket:
        yield bucket


@pytest.fixture
def store(tmp_path):
    folder = tmp_path / "store" / "stages" / "submission"
    folder.mkdir(parents=True)
    (folder / "a.parquet").write_bytes(b"amber" * 1000)
    (folder / "latest.json").write_text(json.dumps({"stage": "submission", "input_key": "a"}))
    sealed(folder)
    return tmp_path / "store"


def sealed(folder):
    """Let the manifest describe the table as it is."""
    content = (folder / "a.parquet").read_bytes()
    described = {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    (folder / "a.json").write_text(json.dumps(described))


def contents(folder):
    return {
        str(p.relative_to(folder)): p.read_bytes()
        for p in folder.rglob("*")
        if p.is_file() and not p.name.endswith(".lock")
    }


def test_a_store_goes_through_a_bucket_to_another_machine(bucket, store, tmp_path):
    report = back_up(store, ObjectStore(bucket.url))
    assert report.new_files == 3
    assert back_up(store, ObjectStore(bucket.url)).new_files == 0
    other = ObjectStore(bucket.url)  # that of another machine
    restore(other, find_backup(other), tmp_path / "other")
    assert contents(tmp_path / "other") == contents(store)
    (tmp_path / "other" / "stages" / "submission" / "a.parquet").unlink()
    assert restore(other, find_backup(other), tmp_path / "other", replace=True) == 5000


def test_a_busy_server_is_asked_again(bucket, store, tmp_path):
    bucket.fault = lambda number, environment: "503" if number % 3 == 0 else None
    objects = ObjectStore(bucket.url, max_wait_s=0.01)
    back_up(store, objects)
    restore(objects, find_backup(objects), tmp_path / "other")
    assert contents(tmp_path / "other") == contents(store)


@pytest.mark.parametrize("cut", ["/backups.json", "/backups/", "/objects/"])
def test_what_is_cut_on_its_way_is_written_again(cut, bucket, store, tmp_path):
    begun = set()  # the first upload of each name is cut

    def fault(number, environment):
        path = environment["PATH_INFO"]
        if environment["REQUEST_METHOD"] != "PUT" or cut not in path or path in begun:
            return None
        begun.add(path)
        return "cut"

    bucket.fault = fault
    objects = ObjectStore(bucket.url, max_wait_s=0.01)
    back_up(store, objects)
    restore(objects, find_backup(objects), tmp_path / "other")
    assert contents(tmp_path / "other") == contents(store)
    assert begun


def test_a_list_of_backups_that_is_cut_each_time_is_one_sentence(bucket, store):
    bucket.fault = lambda number, environment: (
        "cut" if environment["REQUEST_METHOD"] == "PUT" and "/backups.json" in environment["PATH_INFO"] else None
    )
    with pytest.raises(StoreError, match=r"^backups\.json in 's3://kohaku-\w+/project' is cut each time it is written"):
        back_up(store, ObjectStore(bucket.url, max_wait_s=0.01))


@pytest.mark.slow
def test_an_upload_that_breaks_off_leaves_the_backup_before_it(bucket, store, tmp_path):
    objects = ObjectStore(bucket.url, max_wait_s=0.01)
    first = back_up(store, objects).backup
    before = contents(store)
    (store / "stages" / "submission" / "a.parquet").write_bytes(b"later" * 1000)
    sealed(store / "stages" / "submission")
    for allowed in range(1, 4):
        last = bucket.number + allowed * 3
        bucket.fault = lambda number, environment, last=last: "503" if number > last else None
        with pytest.raises(StoreError, match="cannot be read or written"):
            back_up(store, objects)
        bucket.fault = lambda number, environment: None
        assert backup_ids(objects) == [first.id]
        assert list(damaged_objects(objects, find_backup(objects), tmp_path)) == []
    restore(objects, find_backup(objects), tmp_path / "other")
    assert contents(tmp_path / "other") == before
    back_up(store, objects)
    assert len(backup_ids(objects)) == 2


def test_nothing_depends_on_listings(bucket, store, tmp_path):
    """Listings of buckets may lag behind, so every request names its object."""
    requests = []

    def fault(number, environment):
        requests.append((environment["REQUEST_METHOD"], environment["PATH_INFO"], environment["QUERY_STRING"]))
        return "503" if "list-type" in environment["QUERY_STRING"] else None

    bucket.fault = fault
    objects = ObjectStore(bucket.url, max_wait_s=0.01)
    back_up(store, objects)
    restore(objects, find_backup(objects), tmp_path / "other")
    assert contents(tmp_path / "other") == contents(store)
    assert requests
    assert "amber-test-key" not in str(requests)


def test_a_bucket_that_refuses_is_one_sentence_without_its_key(bucket, store):
    bucket.fault = lambda number, environment: "503"
    with pytest.raises(StoreError, match=r"'s3://kohaku-\w+/project' cannot be read or written \(") as error:
        back_up(store, ObjectStore(bucket.url, max_wait_s=0.01))
    assert "amber-test-key" not in str(error.value)
