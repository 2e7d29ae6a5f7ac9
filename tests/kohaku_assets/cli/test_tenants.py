"""Two tenants in one store: no verb and no view tells one of them anything of the other."""

import json
from dataclasses import replace

import duckdb
import pyarrow as pa
import pytest
from click.testing import CliRunner
from index_material import documents_table, index_tables

from kohaku_assets.cli import main
from kohaku_assets.operations.summaries import document_counts, index_counts
from kohaku_lib.index import open_snapshot, publish, write_snapshot
from kohaku_lib.settings import Settings

OWN, OTHER = {"ours": [[["cat purr milk"]]]}, {"theirs": [[["dog bark leather"]]]}


@pytest.fixture
def project(fresh, monkeypatch):
    project = fresh()
    monkeypatch.chdir(project.home)
    return project


@pytest.fixture
def stranger(project):
    """Run a verb as the tenant 'stranger', who has a folder of documents of its own and has built nothing."""
    documents = project.home / "strangers"
    documents.mkdir()
    (documents / "note.md").write_text("# Note\n\nA stranger's only sentence.\n")
    (project.home / "strangers.csv").write_text("id,question,answer_value\ns1,What is this?,1\n")
    files = {"documents": documents, "metadata": "", "questions": project.home / "strangers.csv", "org_id": "stranger"}
    settings = [part for name, value in files.items() for part in ("--set", f"corpus.{name}={value}")]

    def run(*arguments, own=True):
        return CliRunner().invoke(
            main, [*map(str, arguments), *(settings if own else ["--set", "corpus.org_id=stranger"])]
        )

    return run


@pytest.fixture
def shared(project):
    """A published index that holds a document of the tenant 'default' and one of the tenant 'stranger'."""
    tree, owner_of = {**OWN, **OTHER}, {"ours": "default", "theirs": "stranger"}

    def owned(table):
        owners = pa.array([owner_of[name] for name in table.column("document_id").to_pylist()])
        return table.set_column(table.schema.get_field_index("org_id"), table.schema.field("org_id"), owners)

    tables = index_tables(tree)
    tables = replace(tables, nodes=owned(tables.nodes), documents=owned(documents_table(tree)))
    write_snapshot(project.snapshots, "shared", tables, Settings())
    publish(project.snapshots, "shared")
    return open_snapshot(project.snapshots, "shared")


@pytest.mark.parametrize(
    "arguments",
    [
        ("inspect", "kohaku-energy-report"),
        ("graph", "Gintaras-M"),
        ("map", "--out", "map.json"),
        ("report", "--out", "report"),
        ("bundle", "answers.zip"),
        ("check-citations",),
        ("compare", "now", "now"),
        ("compare", "now", "now", "--question", "k01"),
        ("compare", "now", "STATE"),
        ("debug", "k01"),
        ("retrieve", "--questions", "strangers.csv", "--out", "out.jsonl"),
    ],
    ids=lambda arguments: arguments[0],
)
def test_what_another_tenant_has_built_is_not_there(project, stranger, arguments):
    [state] = json.loads(CliRunner().invoke(main, ["history", "--json"]).stdout)
    result = stranger(*[state["state"] if part == "STATE" else part for part in arguments])
    assert "kohaku-" not in result.output.replace(f"{arguments[1:2]}"[2:-3], "")
    assert "Traceback" not in result.output
    assert result.exit_code == (0 if arguments[0] == "debug" else 2)
    assert not any((project.home / name).exists() for name in ("map.json", "answers.zip", "report", "out.jsonl"))


@pytest.mark.parametrize("verb", ["stats", "tokens", "history", "documents"])
def test_lists_and_counts_hold_nothing_of_another_tenant(stranger, verb):
    result = stranger(verb, "--json")
    assert result.exit_code == 0, result.stderr
    assert "kohaku-" not in result.output
    assert {"stats": '"nodes": 0', "tokens": '"texts": 0', "history": "[]", "documents": "note.md"}[
        verb
    ] in result.stdout


def test_answers_quote_nothing_of_another_tenant(stranger):
    for arguments in (("ask", "How much electricity did the machine room use?"), ("search", "machine room")):
        told = json.loads(stranger(*arguments, "--json").stdout)
        assert not told.get("citations")
        assert not told.get("matches")


def test_what_both_tenants_have_alike_is_there_for_both(project, stranger):
    assert stranger("stats", "--json", own=False).exit_code == 0
    found = json.loads(stranger("documents", "--json", own=False).stdout)
    assert {row["status"] for row in found} == {"pending"}  # the files are there, but nothing of the other's parsing


def test_a_refresh_makes_the_store_show_the_own_state_alone(project, stranger):
    assert stranger("refresh").exit_code == 0
    assert len(json.loads(stranger("history", "--json").stdout)) == 1
    with duckdb.connect(project.store / "kohaku.duckdb", read_only=True) as connection:
        assert connection.sql("SELECT DISTINCT org_id FROM current_index.nodes").fetchall() == [("stranger",)]
        assert connection.sql("SELECT path FROM documents").fetchall() == [("note.md",)]
    result = CliRunner().invoke(main, ["bundle", "mine.zip"])
    assert result.exit_code == 2
    assert "belongs to another tenant in this store; run 'kohaku refresh" in result.stderr


def test_views_after_a_publication_leave_out_the_stages_of_another_tenant(project, stranger):
    [version] = [info["version"] for info in json.loads(stranger("snapshots", "--json").stdout)]
    assert stranger("snapshots", "--publish", version).exit_code == 0
    with duckdb.connect(project.store / "kohaku.duckdb", read_only=True) as connection:
        views = connection.sql("SELECT schema_name, view_name FROM duckdb_views() WHERE NOT internal").fetchall()
        indexed = [name for schema, name in views if schema == "current_index" and name != "index_meta"]
        rows = [connection.sql(f"SELECT count(*) FROM current_index.{name}").fetchall() for name in indexed]
        of_answers = [name for schema, name in views if schema == "main"]
        answered = [connection.sql(f"SELECT count(*) FROM {name}").fetchall() for name in of_answers]
    assert of_answers == ["answers", "answer_facts", "lineage", "served_questions"]
    assert [found for found in answered if found != [(0,)]] == []
    assert len(rows) > 8
    assert [found for found in rows if found != [(0,)]] == []


@pytest.mark.parametrize(("org_id", "own", "other"), [("default", "ours", "theirs"), ("stranger", "theirs", "ours")])
def test_in_a_shared_index_each_tenant_sees_its_own_rows(project, shared, org_id, own, other):
    def run(*arguments):
        return CliRunner().invoke(main, [*map(str, arguments), "--set", f"corpus.org_id={org_id}"])

    assert json.loads(run("inspect", f"{own}:sec1:p1", "--json").stdout)["document_id"] == own
    assert run("inspect", f"{other}:sec1:p1").exit_code == 2
    told = [run(*verb, "--json").stdout for verb in (("stats",), ("tokens",), ("search", "cat dog leather milk"))]
    assert run("map", "--out", "map.json").exit_code == 0
    told.append((project.home / "map.json").read_text())
    assert [text for text in told if own not in text or other in text] == []
    run("snapshots", "--publish", "shared")
    with duckdb.connect(project.store / "kohaku.duckdb", read_only=True) as connection:
        for name in ("nodes", "documents"):
            owners = connection.sql(f"SELECT DISTINCT org_id FROM current_index.{name}").fetchall()
            assert owners == [(org_id,)]
        nodes = connection.sql("SELECT DISTINCT node_id.split(':')[1] FROM current_index.node_vectors").fetchall()
        terms = {term for (term,) in connection.sql("SELECT term FROM current_index.lex_terms").fetchall()}
    assert nodes == [(own,)]
    assert ("purr" in terms, "bark" in terms) == (own == "ours", own == "theirs")


def test_counts_of_a_shared_index_are_those_of_the_tenant(shared):
    counts = {org_id: index_counts(shared, org_id) for org_id in ("default", "stranger", "nobody")}
    total = shared.meta["counts"]
    for name in ("nodes", "documents", "lex_docs", "node_vectors", "vectors.main"):
        assert counts["default"][name] + counts["stranger"][name] == total[name]
        assert counts["nobody"].get(name, 0) == 0
    assert [row["document"] for row in document_counts(shared, "stranger")] == ["theirs"]


def test_a_store_without_a_state_has_an_empty_history(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert CliRunner().invoke(main, ["history", "--json"]).stdout == "[]\n"
    assert "no state has been recorded yet" in CliRunner().invoke(main, ["history"]).stderr
