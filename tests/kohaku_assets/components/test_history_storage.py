"""Dagster's history in SQLite with connections that stay open, on the files of Dagster's own storage."""

import shutil
import sqlite3
from pathlib import Path

import dagster as dg
import pytest
from sqlalchemy.exc import OperationalError

from kohaku_assets.components import history_storage
from kohaku_assets.components.history_storage import SqliteHistory
from kohaku_assets.operations.scaffold import DAGSTER


@pytest.fixture
def home(tmp_path, monkeypatch):
    folder = tmp_path / "dagster_home"
    folder.mkdir()
    (folder / "dagster.yaml").write_text(DAGSTER)
    monkeypatch.setenv("DAGSTER_HOME", str(folder))
    return folder


@dg.asset
def amber() -> None:
    pass


def materialised(instance: dg.DagsterInstance) -> bool:
    return instance.get_latest_materialization_event(dg.AssetKey("amber")) is not None


def logs(home: Path) -> list[Path]:
    return sorted((home / "history").rglob("*.db-wal"))


def test_a_new_project_keeps_its_history_by_our_storage(home):
    with dg.DagsterInstance.get() as instance:
        assert dg.materialize([amber], instance=instance).success
        assert isinstance(instance.run_storage, history_storage.SqliteRunStorage)
        assert type(instance.event_log_storage).__module__ == "kohaku_assets.components.history_storage"
        assert materialised(instance)


def test_the_logs_stay_open_while_the_instance_lasts_and_are_moved_in_at_its_end(home):
    with dg.DagsterInstance.get() as instance:
        dg.materialize([amber], instance=instance)
        assert len(logs(home)) == 3  # of the runs, of the events of all runs, of those of this run
    assert logs(home) == []


def test_our_storage_and_that_of_dagster_read_what_the_other_wrote(home):
    with dg.DagsterInstance.get() as instance:
        dg.materialize([amber], instance=instance)
    (home / "dagster.yaml").write_text("telemetry: {enabled: false}\n")
    with dg.DagsterInstance.get() as instance:
        assert not type(instance.event_log_storage).__module__.startswith("kohaku")
        assert materialised(instance)
        dg.materialize([amber], instance=instance)
    (home / "dagster.yaml").write_text(DAGSTER)
    with dg.DagsterInstance.get() as instance:
        assert len(instance.get_runs()) == 2


def test_commits_wait_for_no_disk_and_files_are_sound_after_a_kill(home):
    history = SqliteHistory(str(home))
    with history.run_storage.connect() as connection:
        assert connection.exec_driver_sql("PRAGMA synchronous").scalar_one() == 1  # NORMAL
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar_one() == "wal"
    with sqlite3.connect(home / "history" / "runs.db") as other:
        assert other.execute("PRAGMA quick_check").fetchone() == ("ok",)
    history.dispose()


def test_one_connection_serves_one_use_of_a_database_after_the_other(home):
    history, used = SqliteHistory(str(home)), []
    for _ in range(4):
        with history.run_storage.connect() as connection:
            used.append(connection.connection.dbapi_connection)
    assert used[1] is used[2] is used[3]
    history.dispose()


def test_few_databases_stay_open_however_many_runs_there_were(home, monkeypatch):
    monkeypatch.setattr(history_storage, "MAX_OPEN", 2)
    history = SqliteHistory(str(home))
    for run in ("a", "b", "c", "d"):
        with history.event_log_storage.run_connection(run):
            pass
    assert {path.name for path in logs(home)} == {"c.db-wal", "d.db-wal", "runs.db-wal"}
    with history.event_log_storage.run_connection("a") as connection:
        assert connection.exec_driver_sql("SELECT count(*) FROM event_logs").scalar_one() == 0
    history.dispose()


def test_a_history_that_is_deleted_meanwhile_is_an_error_and_not_written_to_nowhere(home):
    history = SqliteHistory(str(home))
    with history.run_storage.connect():
        pass
    shutil.rmtree(home / "history")
    with pytest.raises(OperationalError, match="unable to open database file"), history.run_storage.connect():
        pass
    history.dispose()
