"""The graph in Postgres: the tables of the snapshot, and the schema by which PuppyGraph reads them."""

import json
from dataclasses import replace
from pathlib import Path

import duckdb
import pytest
import yaml
from index_material import index_tables, nodes_table
from postgres_server import missing_postgres, postgres_server

from kohaku_lib.errors import InputFileError
from kohaku_lib.index import extract_mentions, open_snapshot, write_snapshot
from kohaku_lib.index.graph.export import POSTGRES_TYPES, SCHEMA, TABLES, column_types, export_graph
from kohaku_lib.index.graph.gremlin import HEALTH, NEIGHBOURS
from kohaku_lib.settings import GraphSettings, Settings
from kohaku_lib.tables.documents import DOCUMENTS
from kohaku_lib.tables.index import MENTIONS

ROOT = Path(__file__).resolve().parents[4]
PUPPYGRAPH = json.loads((ROOT / "deploy" / "puppygraph" / "schema.json").read_text(encoding="utf-8"))
GRAPH_TYPES = {
    "VARCHAR": "String",
    "INTEGER": "Int",
    "BIGINT": "Long",
    "FLOAT": "Float",
    "DOUBLE": "Double",
    "BOOLEAN": "Boolean",
}
TREE = {"a": [[["the park of Amber Bay was sold to Borealis Wind."]]], "b": [[["a tunnel runs below Cobalt Pass."]]]}


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory):
    folder = tmp_path_factory.mktemp("export")
    mentions, _ = extract_mentions(nodes_table(TREE), GraphSettings())
    write_snapshot(folder, "v1", replace(index_tables(TREE), mentions=mentions), Settings())
    return open_snapshot(folder, "v1")


@pytest.fixture(scope="module")
def types(snapshot):
    with snapshot.connect() as connection:
        return {table: column_types(connection, table) for table in TABLES}


def sources():
    """Each vertex and edge of the schema with its table and the fields that it reads."""
    for vertex in PUPPYGRAPH["graph"]["vertices"]:
        own = vertex["oneToOne"]
        yield vertex["label"], own["tableSource"], [*own["id"]["fields"], *own["attributes"]]
    for edge in PUPPYGRAPH["graph"]["edges"]:
        ends = [field for end in ("id", "fromId", "toId") for field in edge[end]["fields"]]
        yield edge["label"], edge["tableSource"], [*ends, *edge["attributes"]]


def aliases(label):
    return {field["alias"] for name, _, fields in sources() if name == label for field in fields}


def rounded(rows):
    """The rows with six digits, as psycopg2 reads 4-byte numbers in their shortest form."""
    return [tuple(round(one, 6) if isinstance(one, float) else one for one in row) for row in rows]


def test_every_column_of_the_schema_is_exported_in_its_type_and_none_is_left_out(types):
    for label, source, fields in sources():
        assert (source["catalog"], source["schema"]) == ("kohaku", SCHEMA)
        columns = types[source["table"]]
        assert {field["field"] for field in fields} == set(columns), label
        assert {field["field"]: field["type"] for field in fields} == {
            name: GRAPH_TYPES[kind] for name, kind in columns.items()
        }
    assert {source["table"] for _, source, _ in sources()} == set(TABLES)


def test_columns_have_the_names_and_types_of_our_tables(types):
    arrow = {"string": "VARCHAR", "int32": "INTEGER", "float": "FLOAT"}
    for table, schema in (("documents", DOCUMENTS), ("entity_mentions", MENTIONS)):
        ours = {field.name: arrow.get(str(field.type)) for field in schema}
        shared = set(types[table]) & set(ours)
        assert {name: types[table][name] for name in shared} == {name: ours[name] for name in shared}
        assert set(types[table]) - shared <= {"org_id", "mention_id"}
    assert all(kind in POSTGRES_TYPES for columns in types.values() for kind in columns.values())


def test_edges_join_vertices_of_the_schema_by_columns_of_the_same_type():
    keys = {vertex["label"]: vertex["oneToOne"]["id"]["fields"] for vertex in PUPPYGRAPH["graph"]["vertices"]}
    for edge in PUPPYGRAPH["graph"]["edges"]:
        for vertex, end in (("fromVertex", "fromId"), ("toVertex", "toId")):
            assert [one["type"] for one in edge[end]["fields"]] == [one["type"] for one in keys[edge[vertex]]]


def test_what_the_templates_read_is_in_the_schema():
    assert {"org_id", "entity_id", "is_named"} <= aliases("entity")
    assert {"confidence"} <= aliases("related")
    assert "org_id" in aliases("document")  # the health check counts any vertex of the tenant
    assert "bothE('related')" in NEIGHBOURS
    assert "has('org_id', org)" in HEALTH


def test_the_schema_and_compose_name_the_same_server_and_database():
    services = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))["services"]
    [catalog] = PUPPYGRAPH["catalogs"]
    user = services["postgres"]["environment"]["POSTGRES_USER"]
    assert (catalog["jdbc"]["username"], catalog["jdbc"]["jdbcUri"]) == (user, "jdbc:postgresql://postgres:5432/graph")
    assert "CREATE DATABASE graph;" in (ROOT / "deploy" / "databases.sql").read_text()
    assert services["puppygraph"]["ports"] == ["127.0.0.1:8081:8081", "127.0.0.1:8182:8182"]
    assert services["puppygraph"]["profiles"] == ["graph"]


@pytest.mark.skipif(missing_postgres() is not None, reason=str(missing_postgres()))
def test_postgres_has_the_rows_of_the_snapshot_also_after_a_second_export(snapshot):
    psycopg2 = pytest.importorskip("psycopg2")
    with postgres_server() as server, snapshot.connect() as connection:
        address = server.url().replace("+psycopg2", "")
        first, second = export_graph(connection, address), export_graph(connection, address)
        assert first == second
        assert (first["entities"], first["documents"], first["relations"], first["entity_mentions"]) == (3, 2, 1, 3)
        reading = psycopg2.connect(address)
        with reading, reading.cursor() as cursor:
            for table, columns in TABLES.items():
                query = f"SELECT {', '.join(columns)} FROM"
                cursor.execute(f"{query} {SCHEMA}.{table} ORDER BY 1")
                assert rounded(cursor.fetchall()) == rounded(connection.sql(f"{query} {table} ORDER BY 1").fetchall())
        reading.close()


@pytest.mark.skipif(missing_postgres() is not None, reason=str(missing_postgres()))
def test_of_a_relation_that_is_stated_twice_the_surest_stays(snapshot):
    psycopg2 = pytest.importorskip("psycopg2")
    with snapshot.connect() as connection:
        tables = {table: connection.table(table).to_arrow_table() for table in TABLES}
    with postgres_server() as server, duckdb.connect() as connection:
        for table, rows in tables.items():
            connection.register("rows", rows)
            connection.execute(f"CREATE TABLE {table} AS FROM rows")
        connection.execute("INSERT INTO relations SELECT * REPLACE (1.0 AS confidence) FROM relations")
        address = server.url().replace("+psycopg2", "")
        assert export_graph(connection, address)["relations"] == 1
        reading = psycopg2.connect(address)
        with reading, reading.cursor() as cursor:
            cursor.execute(f"SELECT confidence FROM {SCHEMA}.relations")
            assert cursor.fetchall() == [(1.0,)]
        reading.close()


def test_a_server_that_is_not_there_is_named_in_a_sentence_without_its_password(snapshot):
    pytest.importorskip("psycopg2")
    with snapshot.connect() as connection, pytest.raises(InputFileError, match="did not take the graph") as told:
        export_graph(connection, "postgresql://kohaku:amber-hidden@127.0.0.1:1/graph")
    assert "amber-hidden" not in str(told.value)
