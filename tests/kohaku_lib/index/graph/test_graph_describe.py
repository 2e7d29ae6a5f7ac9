"""What people are told of a name: its entities, aliases and surest relations, of their tenant only."""

from dataclasses import replace

import pyarrow as pa
import pytest
from index_material import documents_table, index_tables, nodes_table

from kohaku_lib.index import extract_mentions, open_snapshot, write_snapshot
from kohaku_lib.index.graph import describe_entities
from kohaku_lib.settings import GraphSettings, Settings

TREE = {
    "a": [[["the power usage effectiveness (PUE) of Amber Bay fell.", "their PUE is low."]]],
    "b": [[["a bridge leads over Cobalt Pass."]]],
    "c": [[["a secret of Amber Bay is Delta Works."]]],
}


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory):
    folder = tmp_path_factory.mktemp("describe")
    nodes, documents = (owned(table) for table in (nodes_table(TREE), documents_table(TREE)))
    mentions, _ = extract_mentions(nodes, GraphSettings())
    tables = replace(index_tables(TREE), nodes=nodes, documents=documents, mentions=mentions)
    write_snapshot(folder, "v1", tables, Settings())
    return open_snapshot(folder, "v1")


def owned(table):
    owners = pa.array(["theirs" if name == "c" else "ours" for name in table["document_id"].to_pylist()])
    return table.set_column(table.schema.get_field_index("org_id"), table.schema.field("org_id"), owners)


def described(snapshot, name, org_id="ours", most=10):
    with snapshot.connect() as connection:
        return describe_entities(connection, name, org_id, most)


@pytest.mark.parametrize("name", ["PUE", "pue", "Power  Usage effectiveness"])
def test_an_entity_is_told_by_its_name_or_an_alias(snapshot, name):
    [entity] = described(snapshot, name)
    assert (entity["name"], entity["entity_type"], entity["mentions"], entity["documents"]) == (
        "PUE",
        "TECHNICAL_TERM",
        3,
        1,
    )
    assert entity["aliases"] == ["power usage effectiveness"]
    assert [(one["name"], one["relation_type"]) for one in entity["relations"]] == [("Amber Bay", "RELATED_TO")]
    assert entity["relations"][0]["source_node_id"] == "a:sec1:p1:s1"


def test_at_most_so_many_relations_are_told(snapshot):
    assert described(snapshot, "PUE", most=0)[0]["relations"] == []


def test_another_tenants_entity_of_the_same_name_is_another(snapshot):
    [ours], [theirs] = described(snapshot, "Amber Bay"), described(snapshot, "Amber Bay", "theirs")
    assert ours["mentions"] == theirs["mentions"] == 1
    assert {one["name"] for one in ours["relations"]} == {"PUE"}
    assert {one["name"] for one in theirs["relations"]} <= {"Delta Works"}
    assert described(snapshot, "Delta Works") == []


def test_an_unknown_name_is_nothing(snapshot):
    assert described(snapshot, "nobody") == described(snapshot, "") == described(snapshot, "' OR 1=1 --") == []
