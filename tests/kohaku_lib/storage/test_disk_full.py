"""A full disk: the errors of Python, Arrow and SQLite, and ours."""

import errno
import sqlite3
from contextlib import closing
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from kohaku_lib.errors import ModelError, StoreError
from kohaku_lib.storage import is_disk_full, store_error_if_disk_full

FULL = Path("/dev/full")
pytestmark = pytest.mark.skipif(not FULL.is_char_device(), reason="this system has no device that is always full")


def write_text():
    FULL.write_text("text")


def write_parquet():
    with FULL.open("wb") as file:  # by its name Arrow would remove it
        pq.write_table(pa.table({"n": range(9)}), file)


def write_with_sqlite():
    with closing(sqlite3.connect(":memory:")) as database:
        database.execute("PRAGMA max_page_count = 1")
        database.execute("CREATE TABLE t (n)")


@pytest.mark.parametrize("write", [write_text, write_parquet, write_with_sqlite])
def test_every_writer_on_a_full_disk_ends_in_one_sentence(write):
    sentence = "no space is left for 'store' or for temporary files; free some"
    with pytest.raises(StoreError, match=sentence), store_error_if_disk_full(Path("store")):
        write()


def test_what_came_of_a_full_disk_counts_as_one():
    error = RuntimeError("the part could not be written")
    error.__cause__ = OSError(errno.ENOSPC, "No space left on device")
    assert is_disk_full(error)


def test_a_server_without_room_is_no_full_disk_of_ours():
    error = ModelError("the server gave no reply: No space left on device")
    with pytest.raises(ModelError, match="the server gave no reply"), store_error_if_disk_full(Path("store")):
        raise error


def test_other_faults_stay_what_they_are(tmp_path):
    with pytest.raises(FileNotFoundError), store_error_if_disk_full(tmp_path):
        (tmp_path / "none").read_text()
    assert not is_disk_full(None)
