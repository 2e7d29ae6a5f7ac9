"""The lease of a bucket: one holder at a time, replaced when its time is over or when it comes back after a kill."""

import copy
import threading
from datetime import UTC, datetime, timedelta

import pytest

from kohaku_lib.errors import StoreError
from kohaku_lib.storage.backups.object_store import ChangedMeanwhileError, ObjectStore
from kohaku_lib.storage.sharing.lease import LEASE, take_lease

NOON = datetime(2026, 11, 23, 12, tzinfo=UTC)


class Clock:
    now = NOON

    def __call__(self):
        return self.now


@pytest.fixture
def objects(tmp_path):
    return ObjectStore(str(tmp_path / "common"))


def test_the_second_machine_is_refused_with_the_time_at_which_the_lease_ends(objects):
    clock = Clock()
    first = take_lease(objects, "a", 60, clock)
    with pytest.raises(StoreError, match=r"another machine writes to .*its lease ends at 2026-11-23 12:01:00 UTC"):
        take_lease(objects, "b", 60, clock)
    clock.now = NOON + timedelta(seconds=50)
    first.renew()
    clock.now = NOON + timedelta(seconds=109)
    with pytest.raises(StoreError, match="try again when it has ended"):
        take_lease(objects, "b", 60, clock)
    first.release()
    assert take_lease(objects, "b", 60, clock).holder == "b"


def test_a_lease_that_is_over_is_replaced_and_its_old_holder_notices(objects):
    clock = Clock()
    first = take_lease(objects, "a", 60, clock)
    clock.now = NOON + timedelta(seconds=61)
    take_lease(objects, "b", 60, clock)
    with pytest.raises(ChangedMeanwhileError, match=r"lease.json in .* was written by somebody else"):
        first.renew()


def test_a_store_whose_process_was_killed_gets_its_own_lease_at_once(objects):
    killed = take_lease(objects, "a", 3600)
    take_lease(objects, "a", 3600)
    with pytest.raises(ChangedMeanwhileError):
        killed.release()


def test_a_renewal_whose_reply_was_lost_is_known_as_ones_own(objects):
    lease = take_lease(objects, "a", 60)
    copy.copy(lease).renew()  # written, and this lease never heard of it
    lease.renew()
    lease.release()
    assert take_lease(objects, "b", 60).holder == "b"


def test_of_machines_that_begin_at_once_one_gets_the_lease(objects):
    together, results = threading.Barrier(8), []

    def begin(name):
        together.wait()
        try:
            results.append(take_lease(objects, name, 60).holder)
        except StoreError:
            results.append(None)

    threads = [threading.Thread(target=begin, args=(name,)) for name in "abcdefgh"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 8
    assert len([one for one in results if one]) == 1


def test_a_damaged_lease_is_replaced(objects):
    objects.put(LEASE, b"{")
    assert take_lease(objects, "a", 60).holder == "a"


def test_protocols_without_conditional_writes_cannot_be_shared():
    with pytest.raises(StoreError, match="cannot be shared by machines; take a folder or"):
        take_lease(ObjectStore("memory://kohaku"), "a", 60)
