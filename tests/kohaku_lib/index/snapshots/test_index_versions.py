import json
import shutil
import subprocess
import sys
import threading
from dataclasses import asdict
from datetime import UTC, datetime, timedelta

import pytest
from index_material import index_tables
from started_process import started_process

from kohaku_lib.errors import StoreError
from kohaku_lib.index import (
    current_version,
    list_snapshots,
    open_snapshot,
    pin,
    pinned,
    prune,
    publish,
    roll_back,
    unpin,
    write_snapshot,
)
from kohaku_lib.index.snapshots.pin import Pin
from kohaku_lib.settings import Settings

START = datetime(2025, 1, 1, tzinfo=UTC)


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """Four versions, a to d, an hour apart; tests copy them."""
    folder = tmp_path_factory.mktemp("snapshots")
    for hour, version in enumerate("abcd"):
        write_snapshot(folder, version, index_tables(), Settings(), now=lambda hour=hour: START + timedelta(hours=hour))
    return folder


@pytest.fixture
def store(written, tmp_path):
    return shutil.copytree(written, tmp_path / "snapshots")


def test_nothing_is_published_at_first(tmp_path):
    assert current_version(tmp_path) is None
    assert current_version(tmp_path / "missing") is None
    assert list_snapshots(tmp_path / "missing") == []


def test_publishing_gives_the_version_before(store):
    assert publish(store, "a") is None
    assert publish(store, "b") == "a"
    assert current_version(store) == "b"
    assert publish(store, "b") == "a"  # again: nothing changes
    assert (current_version(store), roll_back(store)) == ("b", "a")


def test_publishing_what_is_not_there_names_what_is(store):
    with pytest.raises(StoreError, match=r"no index 'z' to publish .* \['d', 'c', 'b', 'a'\]"):
        publish(store, "z")
    assert current_version(store) is None


def test_a_version_that_is_not_complete_is_not_published(store):
    publish(store, "a")
    (store / "half").mkdir()
    with pytest.raises(StoreError, match="no index 'half' to publish"):
        publish(store, "half")
    assert current_version(store) == "a"


def test_rolling_back_twice_goes_two_versions_back(store):
    for version in "abc":
        publish(store, version)
    assert [roll_back(store), roll_back(store)] == ["b", "a"]
    with pytest.raises(StoreError, match="no index was published before 'a'"):
        roll_back(store)
    assert current_version(store) == "a"


def test_rolling_back_skips_a_version_deleted_since(store):
    for version in "abc":
        publish(store, version)
    (store / "b").rename(store / ".gone")
    assert roll_back(store) == "a"


def test_a_version_published_again_counts_once_in_the_history(store):
    for version in "aba":
        publish(store, version)
    assert roll_back(store) == "b"
    with pytest.raises(StoreError):
        roll_back(store)


def test_versions_are_listed_newest_first_with_their_sizes(store):
    publish(store, "b")
    infos = list_snapshots(store)
    assert [(info.version, info.is_current) for info in infos] == [
        ("d", False),
        ("c", False),
        ("b", True),
        ("a", False),
    ]
    newest = asdict(infos[0])
    assert newest["built_at"] == "2025-01-01T03:00:00.000000+00:00"
    assert newest["rows"] == sum(open_snapshot(store, "d").meta["counts"].values())
    assert newest["bytes"] == sum(path.stat().st_size for path in (store / "d").rglob("*") if path.is_file())


def test_pruning_keeps_the_newest_and_the_current_one(store):
    publish(store, "a")
    assert prune(store, keep=2) == ["b"]
    assert [info.version for info in list_snapshots(store)] == ["d", "c", "a"]
    assert prune(store, keep=0) == ["c"]  # the newest stays whatever is asked
    assert prune(store, keep=5) == []


def test_pruning_removes_what_interrupted_writers_left(store):
    (store / ".partial-x").mkdir()
    (store / ".partial-x" / "index.duckdb").write_bytes(b"half")
    assert prune(store, keep=9) == []
    assert sorted(path.name for path in store.iterdir()) == ["a", "b", "c", "d"]


READ_LATER = """
import sys, pathlib
from kohaku_lib.index import open_snapshot
snapshot = open_snapshot(pathlib.Path(sys.argv[1]), sys.argv[2])
print("open", flush=True)
sys.stdin.readline()
print(snapshot.vectors().sum() != 0, snapshot.lexical.scores(["milk"]).sum() > 0, snapshot.search is not None, end=" ")
print(snapshot.connect().sql("SELECT count(*) > 0 FROM nodes").fetchall()[0][0], flush=True)
"""


def test_what_a_reader_in_any_process_has_open_is_pruned_only_after_it(store):
    snapshot = open_snapshot(store, "a")
    command = [sys.executable, "-c", READ_LATER, str(store), "b"]
    with started_process(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as reader:
        assert reader.stdout.readline() == "open\n"
        assert prune(store, keep=1) == ["c"]
        assert reader.communicate("read\n")[0] == "True True True True\n"
    assert snapshot.lexical.scores(["milk"]).sum() > 0
    assert prune(store, keep=1) == ["b"]
    del snapshot
    assert prune(store, keep=1) == ["a"]


def test_versions_count_as_they_were_built_whatever_the_clock_said(store):
    a_year_ago = START - timedelta(days=365)
    for version in "ef":
        write_snapshot(store, version, index_tables(), Settings(), now=lambda: a_year_ago)
    assert [info.version for info in list_snapshots(store)] == ["f", "e", "d", "c", "b", "a"]
    assert [info.sequence for info in list_snapshots(store)] == [6, 5, 4, 3, 2, 1]
    assert prune(store, keep=2) == ["d", "c", "b", "a"]


def test_versions_from_before_they_were_counted_are_the_oldest(store):
    meta = store / "d" / "meta.json"
    meta.write_text(
        json.dumps({key: value for key, value in json.loads(meta.read_text()).items() if key != "sequence"})
    )
    assert [info.version for info in list_snapshots(store)] == ["c", "b", "a", "d"]


def test_what_a_roll_back_leads_to_is_kept_where_two_versions_are(store):
    for version in "abda":  # as settings go to and fro
        publish(store, version)
    publish(store, "d")
    assert prune(store, keep=2) == ["b"]
    assert (current_version(store), roll_back(store)) == ("d", "a")


def test_a_roll_back_is_pinned_until_the_pin_is_lifted(store):
    for version in "abc":
        publish(store, version)
    assert pinned(store) is None
    roll_back(store)
    assert datetime.fromisoformat(pinned(store).since).tzinfo is not None
    unpin(store)
    unpin(store)
    assert pinned(store) is None


def test_a_damaged_pin_still_holds(store):
    pin(store)
    (store / "pinned").write_text("{")
    assert pinned(store) == Pin(None)


def test_an_index_that_is_written_anew_can_be_read_until_it_is_replaced(store):
    before = open_snapshot(store, "a")
    seen = []

    def now():  # asked while it is written
        seen.append(open_snapshot(store, "a").lexical.scores(["milk"]).sum() > 0)
        return START

    _, report = write_snapshot(store, "a", index_tables(), Settings(), anew=True, now=now)
    assert seen == [True]
    assert report.rows_computed > 0
    assert before.lexical.scores(["milk"]).sum() > 0
    assert sorted(path.name for path in store.glob("[!.]*")) == ["a", "b", "c", "d"]
    assert list_snapshots(store)[0].version == "a"


def test_readers_see_one_whole_version_while_another_publishes(store):
    publish(store, "a")
    seen, stop = [], threading.Event()

    def read():
        while not stop.is_set():
            seen.append(current_version(store))

    reader = threading.Thread(target=read)
    reader.start()
    for turn in range(60):
        publish(store, "ab"[turn % 2])
    stop.set()
    reader.join()
    assert set(seen) <= {"a", "b"}
    assert [path.name for path in store.iterdir() if path.name.startswith(".current")] == []


def test_a_protected_version_and_a_version_with_a_damaged_description_survive_pruning(tmp_path):
    for number in range(4):
        folder = tmp_path / f"v{number}"
        folder.mkdir()
        (folder / "meta.json").write_text(json.dumps({"built_at": f"2026-01-0{number + 1}", "counts": {"nodes": 1}}))
    (tmp_path / "v1" / "meta.json").write_text("{")
    assert prune(tmp_path, 1, protected=["v0"]) == ["v2"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["v0", "v1", "v3"]
