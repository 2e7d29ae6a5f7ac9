"""Each mention stands in the snapshot with its number and the tenant, row and parent of its node."""

import duckdb
import pyarrow as pa
import pytest

from kohaku_lib.index.graph import write_mentions
from kohaku_lib.index.rows.known_nodes import KnownNodes
from kohaku_lib.index.rows.row_lookup import RowLookup, hashes_of
from kohaku_lib.index.rows.table_rows import InMemoryRows
from kohaku_lib.index.snapshots.arrow_files import write_batches
from kohaku_lib.tables import MENTIONS

NODES = pa.table(
    {
        "node_id": ["a", "a:1", "b", "b:1", "b:2"],
        "org_id": ["one", "one", "two", "two", "two"],
        "parent_id": [None, "a", None, "b", "b"],
        "parent_row": pa.array([-1, 0, -1, 2, 2], pa.int32()),
    }
)


@pytest.fixture
def known(tmp_path):
    write_batches(tmp_path / "nodes", NODES.schema, [NODES.slice(0, 3), NODES.slice(3)])
    rows = InMemoryRows(NODES)
    return KnownNodes(rows, RowLookup(hashes_of(rows)), tmp_path / "nodes")


def mentions(node_ids):
    facts = {"entity_type": "ORG", "name": "N", "canonical_name": "n", "document_id": "d", "relations": []}
    place = {"char_start": 2, "char_end": 3, "confidence": 0.5}
    rows = [
        {**facts, **place, "entity_id": f"e{at}", "node_id": name, "span_text": f"N{at}"}
        for at, name in enumerate(node_ids)
    ]
    return InMemoryRows(pa.Table.from_pylist(rows, schema=MENTIONS))


def written(known, node_ids, columns):
    with duckdb.connect() as connection:
        write_mentions(connection, mentions(node_ids), known)
        return connection.sql(f"SELECT {columns} FROM entity_mentions").fetchall()


def test_a_mention_gets_the_tenant_row_and_parent_of_its_node(known):
    found = written(known, ["b:2", "a", "a:1"], "mention_id, entity_id, org_id, node_row, parent_node_id, parent_row")
    assert found == [(0, "e0", "two", 4, "b", 2), (1, "e1", "one", 0, None, -1), (2, "e2", "one", 1, "a", 0)]


def test_what_was_mentioned_where_is_kept(known):
    found = written(known, ["b:1"], "node_id, document_id, span_text, char_start, char_end, confidence")
    assert found == [("b:1", "d", "N0", 2, 3, 0.5)]


def test_a_mention_of_an_unknown_node_stays_without_facts_of_it(known):
    assert written(known, ["x", "b"], "org_id, node_row, parent_row") == [(None, None, None), ("two", 2, -1)]
    assert written(known, ["x"], "org_id, node_row, parent_row") == [(None, None, None)]


def test_without_mentions_the_table_is_empty(known):
    assert written(known, [], "*") == []
