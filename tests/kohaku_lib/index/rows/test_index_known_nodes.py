"""Columns of nodes are taken by row from the file, however many batches it has."""

import numpy as np
import pyarrow as pa
import pytest

from kohaku_lib.index.rows.known_nodes import KnownNodes
from kohaku_lib.index.rows.row_lookup import RowLookup, hashes_of
from kohaku_lib.index.rows.table_rows import InMemoryRows
from kohaku_lib.index.snapshots.arrow_files import write_batches

NODES = pa.table({"node_id": ["a", "b", "c", "d"], "parent_row": pa.array([-1, 0, None, 2], pa.int32())})


@pytest.fixture(params=[1, 3, 4])
def known(request, tmp_path):
    write_batches(tmp_path / "nodes", NODES.schema, InMemoryRows(NODES).batches(request.param))
    rows = InMemoryRows(NODES)
    return KnownNodes(rows, RowLookup(hashes_of(rows)), tmp_path / "nodes")


@pytest.mark.parametrize("rows", [[], [3], [2, 0, 2], [1, 2, 3, 0]])
def test_columns_come_in_the_order_that_was_asked_for(known, rows):
    found = known.take(np.array(rows, np.int32), ["parent_row", "node_id"])
    assert found.column_names == ["parent_row", "node_id"]
    expected = [NODES.slice(row, 1).to_pylist()[0] for row in rows]
    assert found.to_pylist() == [{"parent_row": row["parent_row"], "node_id": row["node_id"]} for row in expected]


@pytest.mark.parametrize(("rows", "ids"), [([-1], [None]), ([-1, 1, -1], [None, "b", None])])
def test_a_row_that_is_not_there_gives_nulls(known, rows, ids):
    assert known.take(np.array(rows, np.int32), ["node_id"]).column(0).to_pylist() == ids
