"""What an erasure changes in Dagster's history, and what it says of a history that it cannot change."""

import json
import sqlite3
from contextlib import closing

import pytest

from kohaku_assets.operations.erasing.history import erase_history, unreached_history
from kohaku_assets.pipeline.project import Project
from kohaku_lib.composition import load_settings
from kohaku_lib.errors import StoreError
from kohaku_lib.storage.erasure.traces import Traces

LOG = "Run 36dd0234-104f-4924-9ac7-48414eadaf50 began at 2026-11-28 09:58:04 and wrote 17 crates of resin."
TRACES = Traces(frozenset({"log"}), [LOG], [])


@pytest.fixture
def project(tmp_path, monkeypatch):
    monkeypatch.setenv("DAGSTER_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("OF_LOGS", str(tmp_path / "logs"))
    (tmp_path / "home" / "history" / "runs").mkdir(parents=True)
    (tmp_path / "kohaku.toml").write_text("")
    return Project(load_settings(environment={}, folder=tmp_path))


def test_texts_go_and_ids_and_times_that_the_document_has_too_stay(project, tmp_path):
    run_id, at = LOG.split()[1], "2026-11-28 09:58:04.000001"
    event = {"run_id": run_id, "at": 1795859958.5203636, "message": 'no number in "wrote 17 crates of resin"'}
    with closing(sqlite3.connect(tmp_path / "home" / "history" / "runs" / "a.db")) as connection, connection:
        connection.execute("CREATE TABLE event_logs (run_id TEXT, at TEXT, event TEXT, other TEXT)")
        connection.execute("INSERT INTO event_logs VALUES (?, ?, ?, ?)", [run_id, at, json.dumps(event), '{"a":  1}'])
    (tmp_path / "logs" / run_id / "compute_logs").mkdir(parents=True)
    (tmp_path / "logs" / run_id / "compute_logs" / "a.err").write_text(LOG)
    (tmp_path / "home" / "dagster.yaml").write_text("compute_logs: {config: {base_dir: {env: OF_LOGS}}}")
    assert erase_history(project, TRACES) == 2
    assert erase_history(project, TRACES) == 0
    with closing(sqlite3.connect(tmp_path / "home" / "history" / "runs" / "a.db")) as connection:
        [row] = connection.execute("SELECT * FROM event_logs").fetchall()
    assert row == (run_id, at, json.dumps({**event, "message": "[erased]"}), '{"a":  1}')
    assert not (tmp_path / "logs" / run_id / "compute_logs" / "a.err").read_text()


@pytest.mark.parametrize(
    "folder", ["home/storage", "logs"], ids=["Dagster's own place", "the place that its settings name"]
)
def test_a_log_that_quotes_the_document_is_emptied_and_another_stays(project, tmp_path, folder):
    logs = tmp_path / folder / LOG.split()[1] / "compute_logs"
    logs.mkdir(parents=True)
    (logs / "a.err").write_text(f"WARNING {LOG}")
    (logs / "a.out").write_text("12 documents")
    (tmp_path / "home" / "dagster.yaml").write_text("compute_logs: {config: {base_dir: {env: OF_LOGS}}}")
    assert erase_history(project, TRACES) == 1
    assert [path.read_text() for path in sorted(logs.iterdir())] == ["", "12 documents"]


def test_a_damaged_database_ends_the_erasure_with_its_name(project, tmp_path):
    (tmp_path / "home" / "history" / "runs.db").write_text("no database at all, but a text")
    with pytest.raises(StoreError, match=r"runs.db' of Dagster's history cannot be rewritten .*kohaku doctor"):
        erase_history(project, TRACES)


@pytest.mark.parametrize(
    ("yaml", "named"),
    [
        ("", []),
        ("storage: {sqlite: {base_dir: /home}}", []),
        ("storage: {custom: {module: kohaku_assets.components.history_storage, class: SqliteHistory}}", []),
        ("storage: {postgres: {postgres_db: {}}}", ["in postgres"]),
        ("compute_logs: {module: dagster_aws.s3, class: S3ComputeLogManager}", ["S3ComputeLogManager"]),
    ],
)
def test_a_history_that_is_elsewhere_is_named(project, tmp_path, yaml, named):
    (tmp_path / "home" / "dagster.yaml").write_text(yaml)
    said = list(unreached_history(project))
    assert [name for name, one in zip(named, said, strict=True) if name not in one] == []
