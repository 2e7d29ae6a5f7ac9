"""Views over a store: every stage and call record, and of an index only the rows of one tenant."""

import shutil

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from kohaku_lib.storage import views_damage, write_views
from kohaku_lib.storage.tenant_sql import tenant_condition, text_literal

TABLES = {
    "documents": "SELECT * FROM (VALUES ('a', 'acme'), ('b', 'bee')) AS t(document_id, org_id)",
    "nodes": "SELECT * FROM (VALUES ('a:1', 'a', 'acme'), ('b:1', 'b', 'bee')) AS t(node_id, document_id, org_id)",
    "vectors": "SELECT * FROM (VALUES ('a:1', 'text'), ('b:1', 'text'), ('img:a', 'image'), ('img:b', 'image')) "
    "AS t(node_id, space)",
    "image_blobs": "SELECT * FROM (VALUES ('img:a', 'a'), ('img:b', 'b')) AS t(storage_key, document_id)",
    "lex_postings": "SELECT * FROM (VALUES (1, 'a:1'), (2, 'b:1'), (3, 'a:1'), (3, 'b:1')) AS t(term_id, node_id)",
    "lex_terms": "SELECT * FROM (VALUES (1, 'amber'), (2, 'bees'), (3, 'of')) AS t(term_id, term)",
    "facts": "SELECT * FROM (VALUES ('counts', '2'), ('dim', '3')) AS t(key, value)",
}


@pytest.fixture
def index(tmp_path):
    path = tmp_path / "index.duckdb"
    with duckdb.connect(path) as connection:
        for name, query in TABLES.items():
            connection.execute(f"CREATE TABLE {name} AS {query}")
    return path


def rows(path, query):
    with duckdb.connect(path, read_only=True) as connection:
        return sorted(connection.execute(query).fetchall())


def test_every_stage_is_a_view_of_its_file(tmp_path):
    file = tmp_path / "it's a stage.parquet"
    pq.write_table(pa.table({"id": ["q1", "q2"], "score": [0.5, 1.0]}), file)
    write_views(tmp_path / "k.duckdb", {"scores": file}, tmp_path / "ledger")
    assert rows(tmp_path / "k.duckdb", "SELECT * FROM scores") == [("q1", 0.5), ("q2", 1.0)]
    assert rows(tmp_path / "k.duckdb", "SELECT view_name FROM duckdb_views() WHERE NOT internal") == [("scores",)]


def test_call_records_are_a_view_that_skips_a_truncated_line(tmp_path):
    ledger = tmp_path / "ledger"
    ledger.mkdir()
    (ledger / "a.jsonl").write_text('{"key": "1", "cost_usd": 0.5}\n{"key": "2", "cost_usd": 0.25}\n{"key": "3", "co')
    write_views(tmp_path / "k.duckdb", {}, ledger)
    found = rows(tmp_path / "k.duckdb", "SELECT key, cost_usd FROM llm_calls WHERE cost_usd IS NOT NULL")
    assert [float(cost) for _, cost in found] == [0.5, 0.25]


def test_call_records_of_another_tenant_are_left_out(tmp_path):
    for name, line in (
        ("a", '{"key": "1", "org_id": "acme"}'),
        ("b", '{"key": "2", "org_id": "bee"}'),
        ("c", '{"key": "3"}'),
    ):
        (tmp_path / f"{name}.jsonl").write_text(line + "\n")
    write_views(tmp_path / "k.duckdb", {}, tmp_path, None, "acme")
    assert rows(tmp_path / "k.duckdb", "SELECT key::VARCHAR FROM llm_calls") == [("1",), ("3",)]


@pytest.mark.parametrize("told_by", ["stages", "index"])
def test_stages_of_several_tenants_are_restricted_by_the_stages_or_by_the_index(tmp_path, index, told_by):
    stages = {"source_files": [{"document_id": "a"}, {"document_id": "b"}], "vector_tables": [{"rows": 2}]}
    if told_by == "stages":
        owner = [{"org_id": "acme"}, {"org_id": "bee"}]
        stages["documents"] = [row | own for row, own in zip(stages["source_files"], owner, strict=True)]
        stages["tree_nodes"] = [{"node_id": f"{row['document_id']}:1"} | row for row in stages["documents"]]
        stages["document_images"] = [{"storage_key": "img:a", "document_id": "a"}]
    files = {name: tmp_path / f"{name}.parquet" for name in stages}
    for name, made in stages.items():
        pq.write_table(pa.Table.from_pylist(made), files[name])
    write_views(tmp_path / "k.duckdb", files, tmp_path, index if told_by == "index" else None, "bee")
    assert rows(tmp_path / "k.duckdb", "SELECT document_id FROM source_files") == [("b",)]
    assert rows(tmp_path / "k.duckdb", "SELECT * FROM vector_tables") == [(2,)]


def test_without_a_tenant_the_views_of_an_index_have_all_rows(tmp_path, index):
    write_views(tmp_path / "k.duckdb", {}, tmp_path, index)
    assert len(rows(tmp_path / "k.duckdb", "SELECT * FROM current_index.nodes")) == 2
    assert rows(tmp_path / "k.duckdb", "SELECT key FROM current_index.facts") == [("counts",), ("dim",)]


@pytest.mark.parametrize(
    ("table", "column", "values"),
    [
        ("documents", "document_id", ["a"]),
        ("nodes", "node_id", ["a:1"]),
        ("vectors", "node_id", ["a:1", "img:a"]),
        ("image_blobs", "storage_key", ["img:a"]),
        ("lex_postings", "term_id", [1, 3]),
        ("lex_terms", "term", ["amber", "of"]),
        ("facts", "key", ["dim"]),
    ],
)
def test_the_views_of_a_tenant_have_its_own_rows_only(tmp_path, index, table, column, values):
    write_views(tmp_path / "k.duckdb", {}, tmp_path, index, "acme")
    assert rows(tmp_path / "k.duckdb", f"SELECT {column} FROM current_index.{table}") == [(value,) for value in values]


def test_a_tenant_without_rows_sees_none(tmp_path, index):
    write_views(tmp_path / "k.duckdb", {}, tmp_path, index, "o'neill")
    for table in ("documents", "nodes", "vectors", "lex_terms"):
        assert rows(tmp_path / "k.duckdb", f"SELECT * FROM current_index.{table}") == []


def test_an_index_of_one_tenant_needs_no_conditions(tmp_path, index):
    with duckdb.connect(index) as connection:
        for table in ("documents", "nodes"):
            connection.execute(f"DELETE FROM {table} WHERE org_id = 'bee'")
    write_views(tmp_path / "k.duckdb", {}, tmp_path, index, "acme")
    assert rows(tmp_path / "k.duckdb", "SELECT key FROM current_index.facts") == [("counts",), ("dim",)]


def test_an_earlier_file_is_replaced(tmp_path):
    file = tmp_path / "a.parquet"
    pq.write_table(pa.table({"id": ["q1"]}), file)
    write_views(tmp_path / "k.duckdb", {"scores": file}, tmp_path)
    write_views(tmp_path / "k.duckdb", {"answers": file}, tmp_path)
    assert rows(tmp_path / "k.duckdb", "SELECT view_name FROM duckdb_views() WHERE NOT internal") == [("answers",)]


def test_damage_is_described_as_the_end_of_a_sentence(tmp_path):
    path = tmp_path / "k.duckdb"
    assert views_damage(path) == "is missing"
    write_views(path, {}, tmp_path)
    assert views_damage(path) is None
    path.write_bytes(b"not a database of any kind" * 1000)
    assert views_damage(path).startswith("cannot be read (")


def test_a_table_is_restricted_by_the_first_column_that_has_a_condition():
    sources = {name: name for name in ("nodes", "documents", "image_blobs", "lex_postings")}
    assert tenant_condition(["node_id", "org_id"], "acme", sources) == "org_id = 'acme'"
    assert tenant_condition(["node_id", "document_id"], "acme", sources) == (
        "node_id IN (SELECT node_id FROM nodes WHERE org_id = 'acme' UNION ALL SELECT storage_key FROM image_blobs "
        "WHERE document_id IN (SELECT document_id FROM documents WHERE org_id = 'acme'))"
    )
    assert tenant_condition(["unknown"], "acme", sources) == "true"


@pytest.mark.parametrize("value", ["", "acme", "o'neill", "''", "a\\'b", "ü\n"])
def test_a_quoted_text_is_the_same_text_in_sql(value):
    assert duckdb.sql(f"SELECT {text_literal(value)}").fetchall() == [(value,)]


def test_views_of_a_store_that_was_copied_or_moved_name_the_files_of_another_place(tmp_path):
    (tmp_path / "it's old").mkdir()
    file, views = tmp_path / "it's old" / "scores.parquet", tmp_path / "it's old" / "k.duckdb"
    pq.write_table(pa.table({"score": [0.5]}), file)
    write_views(views, {"scores": file}, tmp_path / "ledger")
    assert views_damage(views) is None
    shutil.copytree(tmp_path / "it's old", tmp_path / "new")
    assert views_damage(tmp_path / "new" / "k.duckdb") == "names the files of another place"
    write_views(tmp_path / "new" / "k.duckdb", {"scores": tmp_path / "new" / "scores.parquet"}, tmp_path / "ledger")
    assert views_damage(tmp_path / "new" / "k.duckdb") is None
