"""One store in a bucket (moto's S3 server on the loopback), whose server refuses, cuts, forgets replies and lags."""

import random

import pytest
from s3_server import reachable_bucket
from store_files import contents, publish_index, write_output

from kohaku_lib.errors import StoreError
from kohaku_lib.settings.operations_settings import BucketSettings
from kohaku_lib.storage.backups.backup_manifest import backup_ids
from kohaku_lib.storage.backups.object_store import ChangedMeanwhileError, ObjectStore
from kohaku_lib.storage.backups.restoring import damaged_objects, find_backup
from kohaku_lib.storage.sharing.fetching import fetch_index
from kohaku_lib.storage.sharing.shared_store import shared_store

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


@pytest.fixture
def bucket():
    with reachable_bucket() as bucket:
        yield bucket


@pytest.fixture
def machines(tmp_path):
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    return tmp_path / "a", tmp_path / "b"


def test_the_bucket_compares_the_tag_and_one_of_two_writers_is_told(bucket):
    first, second = ObjectStore(bucket.url), ObjectStore(bucket.url)
    assert first.get_tagged("pointer") is None
    tag = first.swap("pointer", b"1", None)
    with pytest.raises(ChangedMeanwhileError, match="pointer in 's3://kohaku-"):
        second.swap("pointer", b"2", None)
    assert second.get_tagged("pointer").tag == tag
    second.swap("pointer", b"3", tag)
    with pytest.raises(ChangedMeanwhileError):
        first.swap("pointer", b"4", tag)
    assert first.get("pointer") == b"3"


def test_a_reply_that_is_lost_does_not_look_like_another_writer(bucket):
    objects = ObjectStore(bucket.url, max_wait_s=0.01)
    tag = objects.swap("pointer", b"1", None)
    lost = []

    def fault(number, environment):
        if environment["REQUEST_METHOD"] == "PUT" and not lost:
            lost.append(number)
            return "lost"
        return None

    bucket.fault = fault
    objects.swap("pointer", b"2", tag)
    assert lost
    assert objects.get("pointer") == b"2"


def test_a_store_goes_from_machine_to_machine_and_nothing_is_uploaded_twice(bucket, machines):
    first, second = machines
    settings = BucketSettings(url=bucket.url)
    with shared_store(first, settings):
        write_output(first, "k1")
        publish_index(first, "v1")
    with shared_store(second, settings):
        assert contents(second) == contents(first)
        write_output(second, "k2", b"another")
    bucket.methods.clear()
    with shared_store(second, settings):
        pass
    assert bucket.methods.count("PUT") == 2  # the lease, taken and given back
    assert fetch_index(ObjectStore(bucket.url), second) is False


@pytest.mark.slow
def test_whatever_fails_at_any_request_the_bucket_has_the_state_before_or_after(bucket, machines, tmp_path):
    first, second = machines
    settings, dice = BucketSettings(url=bucket.url), random.Random(3)
    with shared_store(first, settings):
        write_output(first, "k0", b"0")
    objects, failures = ObjectStore(bucket.url, max_wait_s=0.01), 0
    for number in range(1, 7):
        end = bucket.number + dice.randrange(1, 50)
        bucket.fault = lambda request, environment, end=end: "503" if request > end else None
        try:
            with shared_store(first, settings):
                write_output(first, f"k{number}", str(number).encode())
        except StoreError:
            failures += 1
        bucket.fault = lambda request, environment: None
        assert list(damaged_objects(objects, find_backup(objects), tmp_path)) == []
    assert failures > 2
    with shared_store(first, settings):
        pass
    with shared_store(second, settings):
        assert contents(second) == contents(first)
    assert len(backup_ids(objects)) == settings.keep


def test_busy_servers_cut_uploads_and_lagging_listings_are_overcome(bucket, machines):
    def fault(number, environment):
        if "list-type" in environment["QUERY_STRING"] or number % 5 == 0:
            return "503"
        return "cut" if number % 7 == 0 and environment["REQUEST_METHOD"] == "PUT" else None

    first, second = machines
    settings = BucketSettings(url=bucket.url)
    bucket.fault = fault
    with shared_store(first, settings):
        write_output(first, "k1", b"amber" * 1000)
        publish_index(first, "v1")
    with shared_store(second, settings):
        assert contents(second) == contents(first)
