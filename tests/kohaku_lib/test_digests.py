"""Digests: equal for equal content, whatever the chunking; different for anything else."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.digests import digest, table_digest

NESTED = st.lists(
    st.fixed_dictionaries(
        {
            "text": st.none() | st.text(max_size=3),
            "number": st.none() | st.integers(-5, 5),
            "flag": st.none() | st.booleans(),
            "list": st.none() | st.lists(st.none() | st.text(max_size=2), max_size=3),
            "rows": st.lists(st.fixed_dictionaries({"x": st.none() | st.floats(0, 1)}), max_size=2),
            "map": st.none() | st.dictionaries(st.text(max_size=1), st.none() | st.integers(0, 3), max_size=2),
        }
    ).map(lambda row: row | {"map": row["map"] if row["map"] is None else list(row["map"].items())}),
    max_size=6,
)
SCHEMA = pa.schema(
    [
        ("text", pa.string()),
        ("number", pa.int32()),
        ("flag", pa.bool_()),
        ("list", pa.list_(pa.string())),
        ("rows", pa.list_(pa.struct([("x", pa.float64())]))),
        ("map", pa.map_(pa.string(), pa.int32())),
    ]
)


@given(NESTED, st.integers(0, 6))
def test_chunks_and_slices_leave_no_trace(rows, cut):
    whole = pa.Table.from_pylist(rows, schema=SCHEMA)
    parts = pa.concat_tables([whole.slice(0, cut), whole.slice(cut)])
    assert table_digest(parts) == table_digest(whole)


@given(NESTED, NESTED)
def test_tables_are_equal_exactly_when_their_digests_are(one, two):
    first, second = (pa.Table.from_pylist(rows, schema=SCHEMA) for rows in (one, two))
    assert (table_digest(first) == table_digest(second)) == first.equals(second)


def test_bytes_beneath_nulls_do_not_count():
    mask = np.array([True, False])
    one = pa.table({"a": pa.Array.from_pandas(np.array([1, 2]), mask=mask)})
    two = pa.table({"a": pa.Array.from_pandas(np.array([9, 2]), mask=mask)})
    assert table_digest(one) == table_digest(two)


def test_order_and_names_of_columns_count():
    assert table_digest(pa.table({"a": [1], "b": [2]})) != table_digest(pa.table({"b": [2], "a": [1]}))
    assert table_digest(pa.table({"a": [1]})) != table_digest(pa.table({"b": [1]}))


def test_only_plain_values_have_a_digest():
    with pytest.raises(TypeError, match="plain values"):
        digest(object())
