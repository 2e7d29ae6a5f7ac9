"""Dagster's storage and the assistant's database on a Postgres server, started by the tests on a free port."""

import os
import shutil
from pathlib import Path

import dagster as dg
import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from killed_runs import KillableRun
from postgres_server import PASSWORD, missing_postgres, postgres_server, write_to_postgres

from kohaku_assets.components.dagster_instance import dagster_instance
from kohaku_assets.operations.doctor.examine import examine
from kohaku_assets.operations.refresh import refresh
from kohaku_lib.conversation.memory.database import open_database
from kohaku_lib.conversation.memory.message_store import Message, MessageStore, Owner
from kohaku_lib.conversation.memory.tables import METADATA
from kohaku_lib.errors import StoreError

ROOT = Path(__file__).resolve().parents[3]
pytestmark = [
    pytest.mark.skipif(missing_postgres() is not None, reason=str(missing_postgres())),
]


@pytest.fixture(scope="module")
def server():
    with postgres_server() as server:
        yield server


@pytest.fixture
def on_postgres(fresh, server, monkeypatch, request):
    """Return `fresh` with the block of dagster.yaml that its comment shows."""
    monkeypatch.setenv("KOHAKU_PG_USER", "kohaku")
    monkeypatch.setenv("KOHAKU_PG_PASSWORD", PASSWORD)
    name = request.node.name[:60]
    server.create(name)
    dagster_yaml = fresh().home / "dagster_home" / "dagster.yaml"
    shutil.copy(ROOT / "dagster_home" / "dagster.yaml", dagster_yaml)
    write_to_postgres(dagster_yaml, server.port, name)
    return fresh


@pytest.mark.slow
def test_runs_changes_and_kills_are_recorded_in_postgres(on_postgres):
    project = on_postgres("ensemble.ref_mode=union")
    home = project.home / "dagster_home"
    written = {path: path.stat().st_mtime_ns for path in home.rglob("*.db")}
    assert refresh(project).failure is None
    assert refresh(project).outcomes == {}
    settings = ["lexical.k1=0.7", "release.gate=false"]
    KillableRun(project.home, settings).kill_at_stage("vector_tables")
    KillableRun(project.home, settings).finish()
    assert "everything is up to date" in KillableRun(project.home, settings).finish()
    with dagster_instance(project) as instance:
        assert "Postgres" in type(instance.run_storage).__name__
        runs = instance.get_runs()
        assert [run.status.value for run in runs] == ["SUCCESS", "FAILURE", "SUCCESS"]
        assert {run.job_name for run in runs} == {"refresh"}
        report = instance.get_latest_materialization_event(dg.AssetKey("change_report"))
        assert report.asset_materialization.metadata["run"].value == runs[0].run_id
    assert {path: path.stat().st_mtime_ns for path in home.rglob("*.db")} == written
    assert examine(on_postgres(*settings), mend=False) == []


@pytest.mark.slow
def test_a_server_that_is_down_is_one_sentence(fresh, tmp_path, monkeypatch):
    with postgres_server() as server:
        home = fresh().home / "dagster_home"
        block = f"storage:\n  postgres:\n    postgres_url: {server.url()}\n"
        (home / "dagster.yaml").write_text(f"telemetry:\n  enabled: false\n{block}", encoding="utf-8")
        server.stop()
        failure = refresh(fresh("ensemble.ref_mode=union")).failure
        assert failure.startswith("Dagster cannot store its history in ")
        assert "onnection refused" in failure
        assert PASSWORD not in failure
        findings = examine(fresh(f"assistant.database={server.url()}"), mend=False)
        wrong = {Path(finding.path).name: finding.wrong for finding in findings}
        assert wrong.keys() == {"kohaku.duckdb", "dagster.yaml", "assistant.database"}  # the project is a copy
        assert "onnection refused" in wrong["dagster.yaml"]
        assert "cannot be opened" in wrong["assistant.database"]
        with pytest.raises(StoreError, match=r"assistant's database .* cannot be opened") as error:
            open_database(tmp_path, server.url())
        assert PASSWORD not in str(error.value)


def test_conversations_are_kept_in_postgres(server, tmp_path):
    url, owner = server.create("conversations"), Owner("default", "ann")
    first, second = (open_database(tmp_path / name, url) for name in "ab")  # two machines
    try:
        MessageStore(first).begin("s", owner)
        MessageStore(first).add("s", Message("a1", "user", "grüß dich \N{SNOWMAN}", "question", is_answer=False))
        [message] = MessageStore(second).messages("s")
        assert message.content == "grüß dich \N{SNOWMAN}"
        with first.connect() as connection:
            assert compare_metadata(MigrationContext.configure(connection), METADATA) == []
    finally:
        first.dispose()
        second.dispose()
    assert sorted(os.listdir(tmp_path / "a")) == [".assistant.db.lock", ".use.lock"]
