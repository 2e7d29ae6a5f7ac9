"""Rules of an index: ids once, parents that exist, leaves with vectors, vectors of length 1."""

import numpy as np
import pyarrow as pa

from kohaku_lib.embedding.vectors import vector_table
from kohaku_lib.index.integrity import duplicate_ids, off_unit_norms, orphans, unembedded_leaves
from kohaku_lib.index.rows.table_rows import InMemoryRows


def test_ids_that_repeat_are_told_once_and_sorted():
    rows = InMemoryRows(pa.table({"node_id": ["b", "a", "b", "c", "a", "b"]}))
    assert duplicate_ids(rows) == ["a", "b"]


def test_a_root_is_no_orphan_and_a_node_without_its_parent_is():
    nodes = pa.table({"node_id": ["d", "d:1", "e:1"], "parent_id": [None, "d", "e"]})
    assert orphans(nodes) == ["e:1"]


def test_searchable_nodes_need_a_vector_and_others_do_not():
    nodes = pa.table({"node_id": ["a", "b", "c"], "searchable": [True, True, False]})
    assert unembedded_leaves(nodes, pa.table({"node_id": ["a"]})) == ["b"]


def test_a_vector_of_another_length_is_told_unless_it_is_flagged():
    rows = np.array([[0.6, 0.8], [0.6, 0.802], [3.0, 4.0], [np.nan, 1.0], [np.inf, 0.0], [0.0, 0.0]], np.float32)
    table = vector_table(["right", "long", "five", "nan", "inf", "flagged"], rows)
    assert off_unit_norms(table) == ["five", "inf", "long", "nan"]
    assert off_unit_norms(table.slice(0, 1)) == off_unit_norms(table.slice(0, 0)) == []


def test_chunks_and_slices_of_vectors_keep_their_ids():
    table = vector_table(["a", "b", "c"], np.array([[1, 0], [2, 0], [0, 1]], np.float32))
    parts = pa.concat_tables([table.slice(0, 1), table.slice(1)])
    assert off_unit_norms(parts) == off_unit_norms(table.slice(1)) == ["b"]
