"""Backups: incremental, checked, consistent while the store is written; restored whole or not at all."""

import hashlib
import json
import random
import shutil
import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.errors import StoreError
from kohaku_lib.storage.backups.backing_up import back_up
from kohaku_lib.storage.backups.backup_manifest import BackedUpFile, Backup, backup_ids, read_backup, write_backup
from kohaku_lib.storage.backups.object_store import ObjectStore
from kohaku_lib.storage.backups.restoring import damaged_objects, find_backup, restore
from kohaku_lib.storage.store_paths import IN_STORE, StorePaths

A, B = "a" * 32, "b" * 32  # input keys


def write_output(store, key, content=b"table", beside=()):
    """What a run does: the table, its manifest, companion files, and last the record that names them."""
    folder = store / "stages" / "submission"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{key}.parquet").write_bytes(content)
    described = {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    (folder / f"{key}.json").write_text(json.dumps(described))
    seals = {}
    for name in beside:
        replaced = store / f"{name}.tmp"
        replaced.write_bytes(content * 2)
        replaced.replace(store / name)
        seals[name] = [2 * len(content), hashlib.sha256(content * 2).hexdigest()]
    record = folder / "latest.json.tmp"
    record.write_text(json.dumps({"stage": "submission", "input_key": key, "beside": seals}))
    record.replace(folder / "latest.json")


@pytest.fixture
def store(tmp_path):
    write_output(tmp_path / "store", A, beside=["submission.csv"])
    (tmp_path / "store" / "llm_calls").mkdir()
    (tmp_path / "store" / "llm_calls" / "calls.jsonl").write_bytes(b'{"key": "1"}\n{"ke')
    return tmp_path / "store"


def content_of(store):
    files = [path for path in store.rglob("*") if path.is_file() and path.suffix != ".lock"]
    return {str(path.relative_to(store)): path.read_bytes() for path in files if path.name != ".lock"}


def test_a_restored_store_has_the_same_files_and_the_ledger_ends_with_a_whole_line(store, tmp_path):
    objects = ObjectStore(str(tmp_path / "vault"))
    report = back_up(store, objects)
    assert (len(report.backup.files), report.new_files) == (5, 5)
    restore(objects, find_backup(objects), tmp_path / "other")
    restored = content_of(tmp_path / "other")
    assert restored.pop("llm_calls/calls.jsonl") == b'{"key": "1"}\n'
    assert restored == {path: data for path, data in content_of(store).items() if not path.startswith("llm_calls")}


def test_every_part_of_a_store_is_backed_up_but_what_is_damaged_made_anew_or_of_this_machine(store, tmp_path):
    for place in vars(StorePaths(store)).values():
        path = place if place.suffix or place.name.startswith(".") else place / "file.txt"
        path.parent.mkdir(exist_ok=True)
        if not path.exists():
            path.write_text("{}")
    files = back_up(store, ObjectStore(str(tmp_path / "vault"))).backup.files
    kept = {name.partition("/")[0] for name in files}
    left_out = {name for name, place in vars(IN_STORE).items() if place.name not in kept}
    locks = {"lock", "use_lock", "backup_lock", "assistant_lock", "accepted_questions_lock"}
    assert left_out == {"damaged", "views", "bucket", *locks}


def test_only_what_is_new_is_copied_and_old_backups_go_with_what_only_they_need(store, tmp_path):
    objects = ObjectStore(str(tmp_path / "vault"))
    first = back_up(store, objects).backup
    assert back_up(store, objects).new_files == 0
    write_output(store, B, b"another table")
    assert back_up(store, objects, keep=1).new_files == 3  # table, manifest, record
    assert len(backup_ids(objects)) == 1
    with pytest.raises(StoreError, match=f"no backup '{first.id}'"):
        read_backup(objects, first.id)
    assert list(damaged_objects(objects, find_backup(objects), tmp_path)) == []


def test_twenty_random_bit_flips_of_a_backup_are_all_found_and_not_restored(store, tmp_path):
    objects, draw = ObjectStore(str(tmp_path / "vault")), random.Random(21)
    backup = back_up(store, objects).backup
    for _ in range(20):
        name, entry = draw.choice(list(backup.files.items()))
        path = tmp_path / "vault" / entry.object_name
        sound = path.read_bytes()
        flipped = bytearray(sound)
        flipped[draw.randrange(len(sound))] ^= 1 << draw.randrange(8)
        path.write_bytes(flipped)
        assert name in list(damaged_objects(objects, backup, tmp_path))
        with pytest.raises(StoreError, match="is missing or damaged"):
            restore(objects, backup, tmp_path / "other")
        assert not (tmp_path / "other" / "stages").exists()
        path.write_bytes(sound)


def test_a_store_is_replaced_only_when_told_and_only_what_differs_is_fetched(store, tmp_path):
    objects = ObjectStore(str(tmp_path / "vault"))
    backup = back_up(store, objects).backup
    with pytest.raises(StoreError, match="is not empty; give --replace"):
        restore(objects, backup, store)
    write_output(store, B, b"later", beside=["submission.csv"])
    fetched = restore(objects, backup, store, replace=True)
    assert 0 < fetched < backup.bytes
    assert not (store / "stages" / "submission" / f"{B}.parquet").exists()
    assert (store / "submission.csv").read_bytes() == b"tabletable"


def test_files_that_are_not_kohakus_stay_as_they_are_when_a_store_is_replaced(store, tmp_path):
    objects = ObjectStore(str(tmp_path / "vault"))
    (store / "notes.md").write_text("as backed up")
    backup = back_up(store, objects).backup
    (store / "reports").mkdir()
    (store / "reports" / "mine.md").write_text("the user's")
    (store / "notes.md").write_text("newer")
    (store / "link.md").symlink_to("notes.md")
    (store / "reports" / "error_report.md").write_text("older")
    restore(objects, backup, store, replace=True)
    assert (store / "reports" / "mine.md").read_text() == "the user's"
    assert (store / "notes.md").read_text() == "newer"
    assert (store / "link.md").readlink() == Path("notes.md")
    assert not (store / "reports" / "error_report.md").exists()
    assert list(tmp_path.glob(".store.*")) == []


def test_a_backup_of_a_store_that_is_being_written_holds_outputs_that_agree(store, tmp_path):
    objects, is_over = ObjectStore(str(tmp_path / "vault")), threading.Event()

    def write():
        for key in range(400):
            write_output(store, f"k{key}", f"table {key}".encode(), beside=["submission.csv"])
        is_over.set()

    writer = threading.Thread(target=write)
    writer.start()
    backups = []
    while not is_over.is_set():
        backups.append(back_up(store, objects).backup)
    writer.join()
    for number, backup in enumerate(backups):
        restored = tmp_path / f"restored-{number}"
        restore(objects, backup, restored)
        record = json.loads((restored / "stages/submission/latest.json").read_bytes())
        assert (restored / f"stages/submission/{record['input_key']}.parquet").exists()
        seal = record["beside"]["submission.csv"]
        assert hashlib.sha256((restored / "submission.csv").read_bytes()).hexdigest() == seal[1]


def test_a_database_is_copied_as_a_whole_while_it_is_open(store, tmp_path):
    objects = ObjectStore(str(tmp_path / "vault"))
    with closing(sqlite3.connect(store / "assistant.db")) as database:
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("CREATE TABLE told (text)")
        database.execute("INSERT INTO told VALUES ('amber')")
        database.commit()  # in the write-ahead log, not in the file
        restore(objects, back_up(store, objects).backup, tmp_path / "other")
    with closing(sqlite3.connect(tmp_path / "other" / "assistant.db")) as restored:
        assert restored.execute("SELECT * FROM told").fetchall() == [("amber",)]


def test_a_damaged_or_empty_store_is_not_backed_up(store, tmp_path):
    objects = ObjectStore(str(tmp_path / "vault"))
    (store / "stages" / "submission" / f"{A}.parquet").write_bytes(b"tabel")
    with pytest.raises(StoreError, match=r"a.parquet is not as it was written; run 'kohaku doctor' first"):
        back_up(store, objects, rounds=1)
    (tmp_path / "empty").mkdir()
    with pytest.raises(StoreError, match="nothing has been built"):
        back_up(tmp_path / "empty", objects, rounds=1)
    with pytest.raises(StoreError, match="there is no store"):
        back_up(tmp_path / "nowhere", objects)
    assert backup_ids(objects) == []


@pytest.mark.parametrize("path", ["../evil", "stages/../../evil", "/tmp/evil"])
def test_a_manifest_that_points_outside_of_the_store_is_refused(path, tmp_path):
    objects = ObjectStore(str(tmp_path / "vault"))
    write_backup(objects, Backup("x", {path: BackedUpFile(1, "0" * 64, 0)}))
    with pytest.raises(StoreError, match="names a file outside of a store"):
        read_backup(objects, "x")


def test_a_damaged_manifest_and_an_unknown_protocol_are_one_sentence(store, tmp_path):
    objects = ObjectStore(str(tmp_path / "vault"))
    back_up(store, objects)
    shutil.copy(store / "submission.csv", tmp_path / "vault" / "backups.json")
    with pytest.raises(StoreError, match=r"backups.json in .* is damaged"):
        find_backup(objects)
    with pytest.raises(StoreError, match="no bucket that can be opened"):
        ObjectStore("amber://bucket")


@given(st.dictionaries(st.text("abc", min_size=1, max_size=2), st.binary(max_size=9), max_size=4))
def test_objects_are_read_as_they_were_written(tmp_path_factory, contents):
    objects = ObjectStore(str(tmp_path_factory.mktemp("objects")))
    for name, content in contents.items():
        objects.put(f"objects/{name}x", content)
    assert {name: objects.get(f"objects/{name}x") for name in contents} == contents
    for name in contents:
        objects.remove(f"objects/{name}x")
        assert not objects.has(f"objects/{name}x")
