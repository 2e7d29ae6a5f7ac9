"""`kohaku documents --erase` leaves nothing of a document in the store and in Dagster's history, and everything of the others."""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
import zlib
from contextlib import closing
from itertools import compress
from pathlib import Path

import dagster as dg
import duckdb
import killed_runs
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from joined_client import joined_client
from pyarrow import feather
from stage_refresh import refresh_stages

from kohaku_assets.cli import main
from kohaku_assets.components.dagster_instance import dagster_instance
from kohaku_assets.operations.erasing.erase import _remaining, erase_document
from kohaku_assets.operations.erasing.known_document import _record_path, own_sources
from kohaku_assets.operations.refresh import refresh
from kohaku_assets.pipeline.project import Project
from kohaku_lib.composition import load_settings
from kohaku_lib.digests import text_sha256
from kohaku_lib.embedding import headed_texts
from kohaku_lib.errors import InputFileError
from kohaku_lib.storage import write_sealed
from kohaku_lib.storage.own_files import other_files
from kohaku_lib.testing.openai_server import OpenAIServer

MARKS = ("wendelmoot", "quillstone", "ysolde")
FERRY = "# The ferry\n\nThe ferry Wendelmoot carries 4417 crates of quillstone over the lagoon every winter.\n"
ABOUT_FERRY = "How many crates of quillstone does the ferry Wendelmoot carry every winter?"
ABOUT_ROOM = "How much electricity did the machine room use in 2023?"
CHAT = ("llm.provider=openai", "answer.by=model", "llm.call_retries=0", "planner.kind=rule", "answer.max_retries=0")
IN_FILES = "KOHAKU_TEST_POSTGRES" not in os.environ  # where Dagster's history is
PLACES = {"stages", "cache", "llm_calls", "snapshots", "assistant.db", "trash", "damaged"}


def holders(folder):
    """Return the places, by first name below the folder, whose files hold a mark, also within tables and databases."""
    found = set()
    for path in folder.rglob("*"):
        if path.is_file() and any(mark in text for mark in MARKS for text in texts_of(path)):
            found.add(path.relative_to(folder).parts[0])
    return found


def texts_of(path):
    raw = path.read_bytes().lower()
    yield raw.decode("latin-1")
    if path.suffix == ".parquet":
        yield str(pq.read_table(path).to_pydict()).lower()
    elif path.suffix == ".arrow":
        yield str(feather.read_table(path).to_pydict()).lower()
    elif path.suffix == ".duckdb":
        with duckdb.connect(path, read_only=True) as connection:
            query = "SELECT schema_name, table_name FROM duckdb_tables() WHERE NOT internal"
            for schema, table in connection.sql(query).fetchall():
                yield str(connection.sql(f'SELECT * FROM "{schema}"."{table}"').fetchall()).lower()

    elif raw.startswith(b"sqlite format 3"):
        with closing(sqlite3.connect(path)) as connection:
            tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
            for cell in (
                cell for [table] in tables for row in connection.execute(f'SELECT * FROM "{table}"') for cell in row
            ):
                yield (zlib.decompress(cell) if isinstance(cell, bytes) else str(cell).encode()).decode().lower()


def write_as_earlier_versions(project):
    """Write into Dagster's history and logs what earlier versions wrote of rows, and a failure that quotes."""
    row = dg.MetadataValue.md("| document_id | title |\n|---|---|\n| ferry | Wendelmoot |")
    told = {
        "documents": {"dagster/row_count": 5, "input key": "0a", "preview": row, "problems": row},
        "served_questions": {"dagster/row_count": 1, "file": dg.MetadataValue.path("/usage"), "first rows": row},
        "change_report": {"summary": "1 answer flipped", "report": dg.MetadataValue.md("- a: – → Quillstone")},
        "of_others": {"preview": dg.MetadataValue.md("| amber |")},
    }
    with dagster_instance(project) as instance:
        for _ in range(2):  # the second takes the place of the first, whose page is free then
            for name, metadata in told.items():
                instance.report_runless_asset_event(dg.AssetMaterialization(name, metadata=metadata))
        [run] = instance.get_runs(limit=1)
        instance.report_engine_event(f"ValueError: no number in {FERRY!r}", run)
        instance.add_run_tags(run.run_id, {"note": FERRY})
    logs = Path(instance.root_directory) / "storage" / run.run_id / "compute_logs"
    logs.mkdir(parents=True, exist_ok=True)
    (logs / "a.err").write_text(FERRY)


def opened(folder, *overrides):
    return Project(load_settings(overrides=overrides, environment={}, folder=folder))


def cached(project, cache, column):
    parts = (project.store / "cache" / cache).rglob("part-*.parquet")
    return {value for part in parts for value in pq.read_table(part)[column].to_pylist()}


def upload(project, name, text):
    (project.settings.corpus.documents / name).parent.mkdir(parents=True, exist_ok=True)
    (project.settings.corpus.documents / name).write_text(text)
    project.removals.record_upload(name, "ann")


def run(*arguments, settings=(), code=0):
    overrides = [part for setting in settings for part in ("--set", setting)]
    result = CliRunner().invoke(main, [*map(str, arguments), *overrides])
    assert result.exit_code == code, result.output
    return result


@pytest.fixture(scope="module")
def ferried_home(built, home, tmp_path_factory):
    """The sample project with an upload that was indexed twice, trashed and put back, asked about and answered from."""
    folder = tmp_path_factory.mktemp("ferried") / "home"
    shutil.copytree(home, folder)
    project = opened(folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DAGSTER_HOME", str(folder / "dagster_home"))
        patch.setenv("OPENAI_API_KEY", "a-key-of-the-tests")
        patch.chdir(folder)
        upload(project, "ferry.md", FERRY)
        project.removals.remove("ferry.md", "ann")  # a copy stays in the trash
        upload(project, "ferry.md", FERRY)
        assert refresh_stages(opened(folder), ["published_index"]).failure is None
        upload(project, "ferry.md", FERRY + "Its captain is called Ysolde Brandt.\n")
        assert refresh(opened(folder)).failure is None
        with OpenAIServer() as server:
            settings = (*CHAT, f"llm.base_url={server.base_url}")
            assert "4417" in run("ask", ABOUT_FERRY, settings=settings).stdout
            run("ask", ABOUT_ROOM, settings=settings)
        with joined_client(opened(folder)) as client:
            for message in (ABOUT_FERRY, ABOUT_ROOM):
                assert client.post("/v1/chat", json={"message": message}).json()["sources"]
        assert holders(folder / "dagster_home") == set()
        write_as_earlier_versions(opened(folder))
    project.compact_caches()  # so that parts hold rows of several documents
    damaged = project.store / "damaged" / "2026-01-01 00.00.00.000000"
    damaged.mkdir(parents=True)
    (damaged / "calls.jsonl").write_text(FERRY)
    assert other_files(project.store) == []
    assert holders(project.store) >= PLACES
    assert holders(folder / "dagster_home") == ({"history", "storage"} if IN_FILES else {"storage"})
    return folder


@pytest.fixture
def ferried(ferried_home, tmp_path, monkeypatch):
    """A private copy of that project, as the current folder."""
    folder = tmp_path / "copy"
    shutil.copytree(ferried_home, folder)
    elsewhere = (folder / "dagster_home").rename(tmp_path / "elsewhere")
    monkeypatch.setenv("DAGSTER_HOME", str(elsewhere))
    monkeypatch.setenv("OPENAI_API_KEY", "a-key-of-the-tests")
    monkeypatch.chdir(folder)
    return opened(folder)


def test_nothing_of_an_erased_upload_is_left_and_nothing_of_others_is_lost(ferried, tmp_path):
    backup = f"backup.url={tmp_path / 'vault'}"
    run("backup", settings=[backup])
    said = run("documents", "--erase", "ferry", settings=[backup]).stderr
    assert "erased from uploads: ferry.md\n" in said
    assert "ferry.md in the trash" in said
    assert "replies of chat models: 1\n" in said
    assert "1 backups in" in said
    assert "erased from Dagster's history: " in said
    assert ("'dagster run wipe'" in said) != IN_FILES
    assert holders(ferried.home) == holders(tmp_path / "elsewhere") == set()
    assert not (ferried.settings.corpus.documents / "ferry.md").exists()
    with OpenAIServer() as server:  # which is asked nothing again: what others cost is not paid twice
        run("ask", ABOUT_ROOM, settings=[*CHAT, f"llm.base_url={server.base_url}"])
        assert server.requests == []
    with joined_client(opened(ferried.home)) as client:
        assert client.post("/v1/chat", json={"message": ABOUT_ROOM}).json()["sources"]
        found = client.post("/v1/search", json={"query": ABOUT_FERRY, "top_k": 5}).json()["matches"]
        assert "ferry" not in [match["document_id"] for match in found]
    [calls] = json.loads(run("ledger", "--json").stdout)
    assert (calls["calls"], calls["failed"]) == (2, 0)  # what was paid stays counted
    others = set(ferried.files.latest_table("documents")["document_id"].to_pylist())
    assert cached(ferried, "documents", "document_id") == others != set()
    nodes = ferried.files.latest_table("tree_nodes")
    leaves = compress(headed_texts(nodes), pc.call_function("equal", [nodes["kind"], "sentence"]).to_pylist())
    with dagster_instance(ferried) as instance:
        event = instance.get_latest_materialization_event(dg.AssetKey("of_others"))
        assert event.asset_materialization.metadata["preview"].value == "| amber |"
        if IN_FILES:
            event = instance.get_latest_materialization_event(dg.AssetKey("served_questions"))
            assert list(event.asset_materialization.metadata) == ["dagster/row_count", "file"]
            [latest] = instance.get_runs(dg.RunsFilter(tags={"note": "[erased]"}))
            assert len(instance.all_logs(latest.run_id)) > 50
    assert {text_sha256(text) for text in leaves} <= cached(ferried, "embeddings", "key")
    assert refresh_stages(opened(ferried.home)).failure is None
    assert holders(ferried.home) == holders(tmp_path / "elsewhere") == set()
    assert "there is no document 'ferry' of 'default'" in run("documents", "--erase", "ferry", code=2).stderr


def test_a_file_of_the_user_is_not_destroyed_and_is_erased_once_he_has_deleted_it(ferried):
    file = ferried.settings.corpus.documents / "ferry.md"
    file.write_text(FERRY + "The user's own last word.\n")
    assert "'ferry.md' is a file of yours" in run("documents", "--erase", "ferry", code=2).stderr
    assert file.exists()
    assert "llm_calls" in holders(ferried.store)
    file.unlink()
    run("documents", "--erase", "ferry")
    assert holders(ferried.store) == set()


def test_files_in_the_store_that_kohaku_did_not_write_are_named_and_stay(ferried, tmp_path):
    store = ferried.store
    version = (store / "snapshots" / "current").read_text().split()[0]
    stages = next((store / "stages").glob("*/latest.json")).parent
    texts = (
        *(
            "my_notes.md",
            "metadata.csv",
            "docs/draft.md",
            "damaged/photo.png",
            "unfinished.tmp",
            ".notes.md.0a1b2c3d.tmp",
        ),
        *("cache/list.json", "llm_calls/mine.jsonl", "snapshots/own/notes.txt", f"snapshots/{version}/notes.txt"),
        *("history/diary.json", "reports/mine.md", "trash/letter.txt"),
    )
    for name in texts:
        (store / name).parent.mkdir(parents=True, exist_ok=True)
        (store / name).write_text(FERRY)
    tables = (stages / "mine.parquet", store / "mine.parquet", store / "cache" / "part-mine.parquet")
    for path in tables:
        pq.write_table(pa.table({"text": [FERRY]}), path)
    said = run("documents", "--erase", "ferry").stderr
    named = next(line for line in said.splitlines() if line.startswith("other files in the store that quote it: "))
    assert [name for name in texts if name not in named or (store / name).read_text() != FERRY] == []
    assert [
        path for path in tables if path.name not in named or pq.read_table(path)["text"].to_pylist() != [FERRY]
    ] == []
    for path in other_files(store):
        path.unlink()
    assert holders(store) == set()


def test_a_document_without_which_the_index_was_never_built_is_erased_too(ferried):
    (ferried.settings.corpus.documents / "amber-guide.md").unlink()
    run("documents", "--erase", "amber-guide")
    said = [text for path in ferried.store.rglob("*") if path.is_file() for text in texts_of(path)]
    assert not any("what new hands in the workshop read" in text for text in said)
    assert any(mark in text for mark in MARKS for text in said)  # what others say is there
    assert "4417" in run("ask", ABOUT_FERRY).stdout
    assert refresh_stages(opened(ferried.home), ["published_index"]).failure is None


def test_nothing_is_erased_while_a_server_has_the_store_open(ferried):
    with joined_client(opened(ferried.home), is_ready=True):
        assert "end it ('kohaku serve'" in run("documents", "--erase", "ferry", code=2).stderr
    assert holders(ferried.store) >= PLACES


@pytest.mark.parametrize(
    ("end", "nth"),
    [
        *(("removals.json", 1), ("snapshots/current", 1), (".jsonl", 1), (".parquet", 1), ("remove .parquet", 1)),
        *(("remove .parquet", 5), ("remove .parquet", 12), ("remove .parquet", 18), ("remove .json", 9)),
    ],
)
@pytest.mark.slow
def test_an_erasure_that_is_killed_is_ended_by_the_next(ferried, end, nth):
    command = [sys.executable, killed_runs.__file__, end, str(nth), "documents", "--erase", "ferry"]
    killed = subprocess.run(command, cwd=ferried.home, env=dict(os.environ), capture_output=True, check=False)
    assert killed.returncode == -9, killed.stderr
    assert holders(ferried.store)
    run("documents", "--erase", "ferry")
    assert holders(ferried.store) == set()


def test_an_erasure_that_an_earlier_version_began_is_ended(ferried):
    rows = [row for row in own_sources(ferried) if row["document_id"] == "ferry"]
    begun = {"paths": [row["path"] for row in rows], "sha256s": [row["sha256"] for row in rows]}
    write_sealed(_record_path(ferried, "ferry"), begun)
    (ferried.settings.corpus.documents / "ferry.md").unlink()
    run("documents", "--erase", "ferry")
    assert holders(ferried.store) == set()
    assert not _record_path(ferried, "ferry").exists()


def test_it_is_said_that_stores_of_other_machines_bring_replies_back(tmp_path):
    [said] = _remaining(opened(tmp_path, f"bucket.url={tmp_path / 'bucket'}"), "ferry")
    assert "replies of chat models that such a store has come back with its next upload" in said


def test_a_document_of_another_organisation_is_unknown(tmp_path, monkeypatch):
    (tmp_path / "dagster_home").mkdir()
    monkeypatch.setenv("DAGSTER_HOME", str(tmp_path / "dagster_home"))
    (tmp_path / "kohaku.toml").write_text('[corpus]\ndocuments = "documents"\norg_folders = true\norg_id = "acme"\n')
    project = opened(tmp_path)
    for name in ("acme/plan.md", "bolt/ferry.md"):
        upload(project, name, FERRY)
    assert refresh_stages(opened(tmp_path), ["documents"]).failure is None
    table = opened(tmp_path).files.latest_table("documents")
    [ferry] = [row["document_id"] for row in table.to_pylist() if row["org_id"] == "bolt"]
    with pytest.raises(InputFileError, match="there is no document"):
        erase_document(opened(tmp_path), ferry)
    assert (tmp_path / "documents" / "bolt" / "ferry.md").exists()
    erase_document(opened(tmp_path, "corpus.org_id=bolt"), ferry)
    assert not (tmp_path / "documents" / "bolt" / "ferry.md").exists()
    assert (tmp_path / "documents" / "acme" / "plan.md").exists()
