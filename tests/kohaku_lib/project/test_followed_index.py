"""The published index is followed while threads read it: no reader loses its version, and no version stays for nobody."""

import gc
import threading
import weakref
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from index_material import LIBRARY, small_snapshot

from kohaku_lib.errors import StoreError
from kohaku_lib.index import publish
from kohaku_lib.project.followed_index import FollowedIndex
from kohaku_lib.project.open_index import open_whole
from kohaku_lib.project.session import Session
from kohaku_lib.settings import Settings

VERSIONS = ("v1", "v2", "v3")


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    folder = tmp_path_factory.mktemp("followed")
    for version in VERSIONS:
        small_snapshot(folder / "snapshots", LIBRARY, version)
    return folder


@pytest.fixture
def followed(store):
    publish(store / "snapshots", "v1")
    return FollowedIndex(store, lambda snapshot: f"parts of {snapshot.version}")


def test_what_is_published_answers_the_next_reader_and_the_running_one_keeps_its_version(store, followed):
    with followed.reading() as first:
        publish(store / "snapshots", "v2")
        with followed.reading() as second:
            assert (first.snapshot.version, second.snapshot.version) == ("v1", "v2")
            assert (first.parts, second.parts) == ("parts of v1", "parts of v2")
            assert followed.open_versions == ("v1", "v2")
        assert first.snapshot.text(0) != ""
    assert followed.open_versions == ("v2",)


def test_who_follows_waits_for_the_thread_that_opens_while_readers_go_on_with_the_version_before(store):
    begun, may_end = threading.Event(), threading.Event()

    def build(snapshot):
        if snapshot.version == "v2":
            begun.set()
            assert may_end.wait(60)

    publish(store / "snapshots", "v1")
    followed = FollowedIndex(store, build)
    publish(store / "snapshots", "v2")
    opening = threading.Thread(target=followed.follow)
    opening.start()
    assert begun.wait(60)
    with followed.reading() as version:
        assert version.snapshot.version == "v1"
    following = threading.Thread(target=followed.follow)
    following.start()
    following.join(0.1)
    assert following.is_alive()
    may_end.set()
    following.join(60)
    with followed.reading() as version:
        assert version.snapshot.version == "v2"
    opening.join(60)


def test_parts_are_built_once_per_version(store):
    publish(store / "snapshots", "v1")
    built = []
    followed = FollowedIndex(store, lambda snapshot: built.append(snapshot.version))
    for version in ("v1", "v1", "v2", "v2"):
        publish(store / "snapshots", version)
        with followed.reading():
            pass
    assert built == ["v1", "v2"]


def test_a_version_published_again_while_a_reader_holds_it_is_opened_once(store, followed):
    with followed.reading() as first:
        publish(store / "snapshots", "v2")
        with followed.reading():
            publish(store / "snapshots", "v1")
            with followed.reading() as again:
                assert again is first


def test_the_memory_of_a_version_that_nobody_reads_is_free(store, followed):
    with followed.reading() as version:
        snapshot = weakref.ref(version.snapshot)
        publish(store / "snapshots", "v2")
        with followed.reading():
            pass
    del version
    gc.collect()
    assert snapshot() is None


def test_a_reader_that_fails_leaves_its_version(store, followed):
    with pytest.raises(KeyError), followed.reading() as version:
        version.snapshot.row_of("no such node")
    publish(store / "snapshots", "v2")
    with followed.reading():
        assert followed.open_versions == ("v2",)


def test_a_store_without_an_index_is_refused(tmp_path):
    with pytest.raises(StoreError, match="there is no index"):
        FollowedIndex(tmp_path, lambda snapshot: None)


@settings(max_examples=30)
@given(steps=st.lists(st.sampled_from([*VERSIONS, "enter", "leave"]), max_size=25))
def test_the_open_versions_are_the_current_one_and_those_with_readers(store, steps):
    publish(store / "snapshots", "v1")
    followed = FollowedIndex(store, lambda snapshot: None)
    readers, current = [], "v1"
    for step in steps:
        if step in VERSIONS:
            publish(store / "snapshots", step)
        elif step == "enter":
            reading = followed.reading()
            readers.append((reading, reading.__enter__().snapshot.version))
            current = readers[-1][1]
        elif readers:
            reading, _ = readers.pop(0)
            reading.__exit__(None, None, None)
        assert set(followed.open_versions) == {current, *(version for _, version in readers)}
    for reading, _ in readers:
        reading.__exit__(None, None, None)
    assert followed.open_versions == (current,)


def test_sixteen_threads_meet_one_version_each_time_while_indexes_are_published(store, followed):
    done, faults = threading.Event(), []

    def read():
        while not done.is_set():
            try:
                with followed.reading() as version:
                    version.snapshot.text(0)
                    faults.extend([] if version.parts == f"parts of {version.snapshot.version}" else ["mixed"])
            except Exception as error:
                faults.append(repr(error))

    threads = [threading.Thread(target=read) for _ in range(16)]
    for thread in threads:
        thread.start()
    for turn in range(12):
        publish(store / "snapshots", VERSIONS[turn % 3])
        followed.follow()
        with followed.reading() as version:
            assert version.snapshot.version == VERSIONS[turn % 3]
    done.set()
    for thread in threads:
        thread.join()
    assert faults == []
    assert len(followed.open_versions) == 1


def test_a_version_that_is_opened_whole_is_ready(store):
    publish(store / "snapshots", "v1")
    session = Session(Settings(store=store), store)
    with FollowedIndex(store, partial(open_whole, session)).reading() as version:
        assert {"search", "lexical", "graph", "title_index"} <= vars(version.snapshot).keys()
