"""Rows are found by the hashes of their ids, as if the ids were held as texts."""

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.index.rows.row_lookup import RowLookup, hashes_of
from kohaku_lib.index.rows.table_rows import BATCH_ROWS, InMemoryRows


def ids_table(ids):
    return InMemoryRows(pa.table({"node_id": pa.array(ids, pa.string())}))


def test_hashes_of_many_batches_stand_in_the_order_of_the_ids():
    ids = [f"n{number}" for number in range(BATCH_ROWS + 5)]
    hashes = hashes_of(ids_table(ids))
    assert (len(hashes), hashes[-1]) == (BATCH_ROWS + 5, hash(ids[-1]))
    assert RowLookup(hashes).rows(hashes_of(ids_table(["n3", "none", ids[-1]]))).tolist() == [3, -1, BATCH_ROWS + 4]
    assert RowLookup(hashes[:0]).rows(hashes[:2]).tolist() == [-1, -1]


@given(st.lists(st.sets(st.integers(-5, 5)), max_size=4))
def test_hashes_that_are_added_are_found_as_those_from_the_start(rounds):
    lookup, expected = RowLookup(np.empty(0, np.int64)), {}
    for hashes in rounds:
        new = [one for one in hashes if one not in expected]
        lookup.add(np.array(new, np.int64), np.arange(len(expected), len(expected) + len(new)))
        expected |= {one: row for row, one in enumerate(new, len(expected))}
        assert lookup.rows(np.arange(-6, 7)).tolist() == [expected.get(one, -1) for one in range(-6, 7)]


@given(st.lists(st.sampled_from("abc"), unique=True), st.lists(st.sampled_from("abcd")))
def test_rows_are_found_by_id(known, asked):
    hashes = [hashes_of(ids_table(ids)) for ids in (known, asked)]
    found = RowLookup(hashes[0]).rows(hashes[1])
    assert found.tolist() == [known.index(one) if one in known else -1 for one in asked]
