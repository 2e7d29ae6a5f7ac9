"""The vectors of a snapshot stand in the order of the search, with their ids."""

import numpy as np
import pyarrow as pa
import pytest

from kohaku_lib.index.rows.known_nodes import KnownNodes
from kohaku_lib.index.rows.row_lookup import RowLookup, hashes_of
from kohaku_lib.index.rows.table_rows import InMemoryRows
from kohaku_lib.index.snapshots.arrow_files import write_batches
from kohaku_lib.index.vectors.search_order import search_order
from kohaku_lib.index.vectors.vector_space import main_space, other_space
from kohaku_lib.tables import vector_schema

KINDS = ["document", "section", "paragraph", "sentence", "sentence", "paragraph", "sentence"]
IDS = ["d", "d:1", "d:1:p1", "d:1:p1:s1", "d:1:p1:s2", "d:1:p2", "d:1:p2:s1"]


def vectors(ids, soft=()):
    rows = pa.FixedSizeListArray.from_arrays(pa.array(np.arange(2 * len(ids), dtype=np.float32)), 2)
    ok = pa.array([one not in soft for one in ids])
    return InMemoryRows(pa.table([pa.array(ids, pa.string()), rows, ok], schema=vector_schema(2)))


@pytest.fixture
def nodes(tmp_path):
    table = pa.table({"node_id": IDS, "kind": KINDS, "searchable": [True] * 6 + [False]})
    write_batches(tmp_path / "nodes.arrow", table.schema, [table.slice(0, 3), table.slice(3)])
    rows = InMemoryRows(table)
    return KnownNodes(rows, RowLookup(hashes_of(rows)), tmp_path / "nodes.arrow")


def test_searchable_sentences_lead_then_paragraphs_then_others_with_a_vector(nodes):
    order = search_order(nodes.rows, np.array([0, 6, 3, -1]))
    assert order.node_rows.tolist() == [3, 4, 2, 5, 0, 6]
    assert (order.sentences, order.paragraphs, order.searched) == (2, 2, 4)
    assert order.place_of_node.tolist() == [4, -1, 2, 0, 1, 3, 5]


def test_the_main_space_has_its_ids_and_vectors_in_the_order_of_the_search(nodes, tmp_path):
    known = ["d:1:p2", "d:1:p1:s2", "gone", "d"]
    order, space = main_space(nodes, vectors(known, soft=("d:1:p2",)))
    space.write_rows(tmp_path)
    space.write_matrix(tmp_path)
    rows = pa.ipc.open_file(str(tmp_path / "vectors.main.arrow")).read_all().to_pydict()
    assert rows["node_id"] == [IDS[row] for row in order.node_rows] == [IDS[row] for row in (3, 4, 2, 5, 0)]
    assert rows["norm_ok"] == [False, True, False, False, True]
    matrix = np.load(tmp_path / "vectors.main.npy")
    assert matrix.tolist() == [[0, 0], [2, 3], [0, 0], [0, 1], [6, 7]]


def test_another_space_keeps_its_order_and_what_is_no_node(nodes, tmp_path):
    space = other_space("image", nodes, vectors(["picture", "d:1"]))
    space.write_rows(tmp_path)
    space.write_matrix(tmp_path)
    rows = pa.ipc.open_file(str(tmp_path / "vectors.image.arrow")).read_all().to_pydict()
    assert rows == {"node_id": ["picture", "d:1"], "norm_ok": [True, True], "node_row": [-1, 1]}


def test_an_empty_space_is_written_too(nodes, tmp_path):
    order, space = main_space(nodes, vectors([]))
    for one in (space, other_space("para_full", nodes, vectors([]))):
        one.write_rows(tmp_path)
        one.write_matrix(tmp_path)
    assert (len(order.node_rows), np.load(tmp_path / "vectors.para_full.npy").shape) == (4, (0, 2))
