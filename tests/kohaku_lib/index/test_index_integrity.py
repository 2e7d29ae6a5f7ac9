"""Rules of an index: ids once, parents that exist, leaves with vectors, vectors of length 1."""

from collections import Counter

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.embedding.vectors import vector_table
from kohaku_lib.index.integrity import duplicate_ids, leaves_without, off_unit_norms, orphans, rows_without_leaf
from kohaku_lib.index.rows.table_rows import BATCH_ROWS, InMemoryRows


def ids_table(ids):
    return InMemoryRows(pa.table({"node_id": pa.array(ids, pa.string())}))


def test_ids_that_repeat_are_told_once_and_sorted():
    assert duplicate_ids(ids_table(["b", "a", "b", "c", "a", "b"])) == ["a", "b"]


@given(st.lists(st.text(max_size=2)))
def test_double_ids_are_those_that_occur_more_than_once(ids):
    assert duplicate_ids(ids_table(ids)) == sorted(one for one, times in Counter(ids).items() if times > 1)


def test_an_id_that_comes_again_many_batches_later_is_found():
    ids = [f"n{number}" for number in range(2 * BATCH_ROWS)] + ["n7", "ü"]
    assert duplicate_ids(ids_table(ids)) == ["n7"]
    assert duplicate_ids(ids_table(ids[:-2])) == []


def test_a_root_is_no_orphan_and_a_node_without_its_parent_is():
    nodes = pa.table({"node_id": ["d", "d:1", "e:1"], "parent_id": [None, "d", "e"]})
    assert orphans(nodes) == ["e:1"]


def test_searchable_nodes_need_a_vector_and_others_do_not():
    nodes = pa.table({"node_id": ["a", "b", "c"], "searchable": [True, True, False]})
    assert leaves_without(nodes, pa.table({"node_id": ["a"]})) == ["b"]


def test_a_vector_of_another_length_is_told_unless_it_is_flagged():
    rows = np.array([[0.6, 0.8], [0.6, 0.802], [3.0, 4.0], [np.nan, 1.0], [np.inf, 0.0], [0.0, 0.0]], np.float32)
    table = vector_table(["right", "long", "five", "nan", "inf", "flagged"], rows)
    assert off_unit_norms(table) == ["five", "inf", "long", "nan"]
    assert off_unit_norms(table.slice(0, 1)) == off_unit_norms(table.slice(0, 0)) == []


def test_chunks_and_slices_of_vectors_keep_their_ids():
    table = vector_table(["a", "b", "c"], np.array([[1, 0], [2, 0], [0, 1]], np.float32))
    parts = pa.concat_tables([table.slice(0, 1), table.slice(1)])
    assert off_unit_norms(parts) == off_unit_norms(table.slice(1)) == ["b"]


def test_terms_of_a_node_that_is_not_searched_are_told():
    nodes = pa.table({"node_id": ["a", "b", "c"], "searchable": [True, True, False]})
    assert rows_without_leaf(nodes, pa.table({"node_id": ["d", "a", "c"]})) == ["c", "d"]
    assert rows_without_leaf(nodes, pa.table({"node_id": ["a"]})) == []
