import sqlite3
import sys
from pathlib import Path

import sqlalchemy
from sqlalchemy.pool import NullPool

from kohaku_assets.history import quick_history


def _engine(path: Path) -> sqlalchemy.Engine:
    return sqlalchemy.create_engine(f"sqlite:///{path}", poolclass=NullPool)


def _write(path: Path, value: int) -> int:
    with _engine(path).connect() as connection, connection.begin():
        connection.execute(sqlalchemy.text("PRAGMA journal_mode=WAL"))
        connection.execute(sqlalchemy.text("CREATE TABLE IF NOT EXISTS events(value INTEGER)"))
        connection.execute(sqlalchemy.text(f"INSERT INTO events VALUES ({value})"))
        return connection.execute(sqlalchemy.text("PRAGMA synchronous")).scalar_one()


def _values(path: Path) -> list[int]:
    with sqlite3.connect(path) as connection:
        return [value for (value,) in connection.execute("SELECT value FROM events")]


def test_the_log_of_a_database_is_kept_open_for_the_whole_run_and_moved_in_at_its_end(tmp_path):
    path, log = tmp_path / "runs.db", tmp_path / "runs.db-wal"
    with quick_history():
        kept = []
        for value in range(3):
            _write(path, value)
            kept.append(log.exists())
    assert kept[1:] == [True, True]  # what was no database with a log before becomes one by the first writing
    assert not log.exists()
    assert _values(path) == [0, 1, 2]


def test_commits_wait_for_the_disk_outside_of_a_run_only(tmp_path):
    full, normal = 2, 1
    with quick_history():
        assert _write(tmp_path / "runs.db", 1) == normal
    assert _write(tmp_path / "runs.db", 2) == full


def test_two_databases_are_held_apart(tmp_path):
    with quick_history():
        _write(tmp_path / "a.db", 1)
        _write(tmp_path / "b.db", 2)
    assert (_values(tmp_path / "a.db"), _values(tmp_path / "b.db")) == ([1], [2])


def test_a_database_that_another_connection_locks_is_left_alone(tmp_path):
    path = tmp_path / "runs.db"
    _write(path, 1)
    with quick_history(), sqlite3.connect(path) as other:
        other.execute("PRAGMA locking_mode=EXCLUSIVE")
        other.execute("INSERT INTO events VALUES (2)")
        other.commit()
    other.close()
    assert _values(path) == [1, 2]


def test_a_new_database_never_waits_for_the_disk_even_while_its_tables_are_made(tmp_path):
    path = tmp_path / "runs.db"
    with quick_history(), _engine(path).connect() as connection:
        connection.execute(sqlalchemy.text("CREATE TABLE events(value INTEGER)"))
        assert connection.execute(sqlalchemy.text("PRAGMA journal_mode")).scalar_one() == "wal"


def test_dagster_makes_one_engine_for_a_database_while_a_run_lasts_and_its_own_thereafter(tmp_path):
    from dagster._core.storage.event_log.sqlite import sqlite_event_log

    def made(name):
        return sqlite_event_log.create_engine(f"sqlite:///{tmp_path / name}", poolclass=NullPool)

    with quick_history():
        assert made("a.db") is made("a.db")
        assert made("a.db") is not made("b.db")
    assert made("a.db") is not made("a.db")


def test_a_dagster_that_keeps_its_history_elsewhere_is_left_alone(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "dagster._core.storage.event_log.sqlite.sqlite_event_log", None)
    with quick_history():
        _write(tmp_path / "runs.db", 1)
    assert _values(tmp_path / "runs.db") == [1]
