"""The graph's tables are made in little memory, and name the least of the nodes that state a relation."""

from dataclasses import replace

import duckdb
import pytest
from index_material import index_tables, nodes_table

from kohaku_lib.index import extract_mentions, open_snapshot, write_snapshot
from kohaku_lib.index.graph import write_mentions
from kohaku_lib.index.graph.sql import CREATE_GRAPH
from kohaku_lib.index.rows.known_nodes import KnownNodes
from kohaku_lib.index.rows.row_lookup import RowLookup, hashes_of
from kohaku_lib.index.rows.table_rows import InMemoryRows
from kohaku_lib.index.snapshots.arrow_files import write_batches
from kohaku_lib.settings import GraphSettings, Settings

NODES = """
    CREATE TABLE nodes AS
    SELECT 'default' AS org_id, 'document-' || range // 50 AS document_id, range::INTEGER AS node_row,
           'document-' || range // 50 || ':section-1:paragraph-' || range AS node_id, NULL::VARCHAR AS parent_id,
           if(range % 50 = 0, -1, range // 50 * 50)::INTEGER AS parent_row
    FROM range(20000)
"""
MENTIONS = """
    CREATE TABLE arrow_mentions AS
    SELECT md5(number::VARCHAR) AS entity_id, 'ORG' AS entity_type, 'the name of ' || number AS name,
           'the name of ' || number AS canonical_name, node_id, document_id, 'a name' AS span_text, 0 AS char_start,
           6 AS char_end, 0.5::FLOAT AS confidence,
           []::STRUCT(target_id VARCHAR, relation_type VARCHAR, confidence FLOAT)[] AS relations
    FROM (SELECT *, node_row * 31 % 20011 + range * 77 AS number FROM nodes, range(4)) ORDER BY node_row
"""


@pytest.mark.slow
def test_a_graph_that_is_larger_than_the_memory_goes_to_disk(tmp_path):
    limits = {"memory_limit": "80MB", "threads": 2, "temp_directory": str(tmp_path / "spill")}
    with duckdb.connect(tmp_path / "graph.duckdb", config=limits) as connection:
        for statement in (NODES, MENTIONS):
            connection.execute(statement)
        nodes, mentions = (
            InMemoryRows(connection.sql(f"FROM {name}").to_arrow_table()) for name in ("nodes", "arrow_mentions")
        )
        write_batches(tmp_path / "nodes", nodes.schema, nodes.batches())
        write_mentions(connection, mentions, KnownNodes(nodes, RowLookup(hashes_of(nodes)), tmp_path / "nodes"))
        for statement in CREATE_GRAPH:
            connection.execute(statement)
        names = [name for (name,) in connection.sql("SELECT table_name FROM duckdb_tables() ORDER BY 1").fetchall()]
        assert names == ["arrow_mentions", "entities", "entity_aliases", "entity_mentions", "nodes", "relations"]
        [(relations, sources, titled)] = connection.sql(
            "SELECT count(*), count(DISTINCT source_entity_id), count(*) FILTER (relation_type = 'REFERENCES') FROM relations"
        ).fetchall()
        pairs = "one.entity_id < two.entity_id AND one.node_id = two.node_id AND one.parent_row <> -1"
        [(together,)] = connection.sql(
            "SELECT count(*) FROM (SELECT DISTINCT one.entity_id, two.entity_id "
            f"FROM entity_mentions one JOIN entity_mentions two ON {pairs})"
        ).fetchall()
    assert together == relations - titled > 50_000
    assert titled > 100_000
    assert sources > 10_000


def test_a_relation_names_the_least_node_and_document_that_state_it(tmp_path):
    said = [[["the park of Amber Bay was sold to Borealis Wind."]]]
    tree = {"b": said, "a": said, "a-z": said, "c": [[["nothing is known of Cobalt Pass."]]]}
    mentions, _ = extract_mentions(nodes_table(tree), GraphSettings())
    write_snapshot(tmp_path, "v1", replace(index_tables(tree), mentions=mentions), Settings())
    with open_snapshot(tmp_path, "v1").connect() as connection:
        found = connection.sql("SELECT relation_type, source_node_id, document_id FROM relations").fetchall()
    assert found == [("RELATED_TO", "a-z:sec1:p1:s1", "a")]  # each by itself, as texts compare
