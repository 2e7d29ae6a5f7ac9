"""The store's lock, the hash memo, atomic files and the fan-out."""

import errno
import os
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from filelock import FileLock
from started_process import started_process

from kohaku_lib.digests import text_sha256
from kohaku_lib.errors import StoreError
from kohaku_lib.parallel import map_items
from kohaku_lib.storage import HashMemo, awaited_lock, leftovers, store_lock, write_atomically
from kohaku_lib.storage.caches.hash_memo import SETTLED_NS
from kohaku_lib.storage.sealed_json import read_sealed

HOLD = """
import sys, pathlib
from kohaku_lib.storage import store_lock
with store_lock(pathlib.Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_a_second_run_gets_one_clear_sentence_and_the_lock_is_free_after_a_kill(tmp_path):
    command = [sys.executable, "-c", HOLD, str(tmp_path)]
    with started_process(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout.readline() == b"held\n"
        with pytest.raises(StoreError, match="another run is writing to the store"), store_lock(tmp_path):
            pass
    with store_lock(tmp_path), store_lock(tmp_path):
        pass


def test_a_step_of_the_same_run_waits_for_as_long_as_it_is_told_to(tmp_path):
    command = [sys.executable, "-c", HOLD, str(tmp_path)]
    with started_process(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout.readline() == b"held\n"
        answers = iter([True, False])
        with pytest.raises(StoreError, match="another run"), store_lock(tmp_path, lambda: next(answers)):
            pass
        assert next(answers, None) is None
        with store_lock(tmp_path, lambda: other.stdin.close() is None):  # the other process ends, and so does the wait
            pass


def test_an_unchanged_file_is_read_once_and_a_changed_one_again(tmp_path):
    file, memo = tmp_path / "a.txt", HashMemo(tmp_path / "memo.json")
    file.write_text("one")
    memo.note(file, "f" * 64)  # what only a memo can know
    memo.save()
    assert HashMemo(tmp_path / "memo.json").sha256(file) == "f" * 64
    assert HashMemo(tmp_path / "memo.json", afresh=True).sha256(file) == text_sha256("one")
    stamp = file.stat()
    file.write_text("two")
    os.utime(file, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    assert HashMemo(tmp_path / "memo.json").sha256(file) == text_sha256("two")


def test_a_file_that_was_written_a_moment_ago_may_be_written_again_without_another_time(tmp_path, monkeypatch):
    file, memo = tmp_path / "a.txt", HashMemo(tmp_path / "memo.json")
    file.write_text("one")
    stamp = file.stat()
    monkeypatch.setattr(Path, "stat", lambda self, **options: stamp)  # a clock that has not moved on
    assert memo.sha256(file) == text_sha256("one")
    file.write_text("two")
    assert memo.sha256(file) == text_sha256("two")
    monkeypatch.setattr(time, "time_ns", lambda: stamp.st_ctime_ns + SETTLED_NS + 1)
    assert memo.sha256(file) == text_sha256("two")
    file.write_text("six")
    assert memo.sha256(file) == text_sha256("two")  # settled, and unchanged for all that can be seen


def test_a_file_is_read_afresh_once(tmp_path):
    (tmp_path / "a").write_text("x")
    memo = HashMemo(tmp_path / "memo.json", afresh=True)
    assert memo.sha256(tmp_path / "a") == text_sha256("x")
    memo.note(tmp_path / "a", "f" * 64)
    assert memo.sha256(tmp_path / "a") == "f" * 64


def test_files_that_went_are_forgotten(tmp_path):
    memo = HashMemo(tmp_path / "memo.json")
    for name in ("a", "b"):
        (tmp_path / name).write_text("x")
        memo.note(tmp_path / name, text_sha256("x"))
    (tmp_path / "a").unlink()
    memo.save()
    assert list(read_sealed(tmp_path / "memo.json")) == [str(tmp_path / "b")]


@pytest.mark.parametrize("content", ["[", "[]", '{{"{file}": 3}}', '{{"{file}": [1]}}', "\udcff"])
def test_a_damaged_memo_is_forgotten(tmp_path, content):
    text = content.replace("{file}", str(tmp_path / "a")).replace("{{", "{").replace("}}", "}")
    (tmp_path / "memo.json").write_bytes(text.encode("utf-8", "surrogateescape"))
    (tmp_path / "a").write_text("x")
    assert len(HashMemo(tmp_path / "memo.json").sha256(tmp_path / "a")) == 64


def test_a_memo_that_cannot_be_written_stops_no_reader(tmp_path):
    (tmp_path / "a").write_text("x")
    memo = HashMemo(tmp_path / "a" / "memo.json")
    assert len(memo.sha256(tmp_path / "a")) == 64
    memo.save()


def test_a_link_stays_a_link_to_the_new_content(tmp_path):
    target, link, loose = tmp_path / "target", tmp_path / "link", tmp_path / "loose"
    target.write_text("old")
    link.symlink_to(target)
    loose.symlink_to(tmp_path / "not yet there")
    for path in (link, loose):
        write_atomically(path, lambda temporary: temporary.write_text("new"))
        assert path.is_symlink()
        assert path.read_text() == "new"
    assert target.read_text() == "new"


def test_a_pipe_is_written_into_and_stays_one(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with ThreadPoolExecutor(1) as reader:
        content = reader.submit(pipe.read_text)
        write_atomically(pipe, lambda path: path.write_text("said"))
        assert content.result(timeout=10) == "said"
    assert pipe.is_fifo()
    assert list(tmp_path.iterdir()) == [pipe]


@pytest.mark.parametrize("has_links", [True, False])
def test_of_several_exclusive_writers_at_once_one_succeeds_and_its_file_is_whole(has_links, tmp_path, monkeypatch):
    def refuse(self, target):
        raise OSError(errno.EPERM, "this file system has no links")

    if not has_links:
        monkeypatch.setattr(Path, "hardlink_to", refuse)
    path, all_ready = tmp_path / "list.md", threading.Barrier(8)

    def attempt(number):
        def write(temporary):
            temporary.write_text(str(number) * 1000)
            all_ready.wait(60)

        try:
            write_atomically(path, write, exclusive=True)
        except FileExistsError:
            return None
        return number

    with ThreadPoolExecutor(8) as writers:
        [winner] = [one for one in writers.map(attempt, range(8)) if one is not None]
    assert path.read_text() == str(winner) * 1000
    assert list(tmp_path.rglob("*.tmp")) == []


def test_leftovers_are_the_temporary_files_of_killed_writers(tmp_path):
    write_atomically(tmp_path / "submission.csv", lambda path: path.write_text("whole"))
    for name in (".submission.csv.0a1b2c3d.tmp", ".notes.md.0a1b2c3d.tmp", "notes.tmp"):
        (tmp_path / name).write_text("half")
    assert [path.name for path in leftovers(tmp_path)] == [".submission.csv.0a1b2c3d.tmp"]


def test_a_failed_write_leaves_the_old_file_and_no_temporary(tmp_path):
    target = tmp_path / "t"
    target.write_text("old")

    def fail(path):
        path.write_text("half")
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        write_atomically(target, fail)
    assert [(p.name, p.read_text()) for p in tmp_path.iterdir()] == [("t", "old")]


@pytest.mark.parametrize("workers", [0, 1, 4])
def test_results_come_in_the_order_of_the_items(workers):
    assert list(map_items(str, list(range(50)), workers)) == [str(n) for n in range(50)]


def test_the_first_failure_is_raised_at_its_place():
    def reciprocal(n):
        return 1 / n

    results = map_items(reciprocal, [1, 2, 0, 4], 2)
    assert next(results) == 1
    assert next(results) == 0.5
    with pytest.raises(ZeroDivisionError):
        next(results)


def test_a_wait_for_a_lock_is_logged_and_ends_in_one_sentence(tmp_path, caplog):
    path = tmp_path / "model.lock"
    with FileLock(path):
        expected = r"has been converting a model for 0 s and holds '.*model\.lock'; end it"
        with pytest.raises(StoreError, match=expected), awaited_lock(path, "converting a model", 0.05, 0.05):
            pass
    assert "waiting up to 0 s for another process that is converting a model" in caplog.text
    with awaited_lock(path, "converting a model"):
        pass
