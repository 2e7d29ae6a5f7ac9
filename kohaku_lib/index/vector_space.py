"""A vector space of a snapshot: ids, one contiguous matrix, and which rows are no real vectors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from kohaku_lib.index.row_lookup import rows_of
from kohaku_lib.index.search_order import SearchOrder


@dataclass(frozen=True, slots=True)
class VectorSpace:
    """Vectors in the order of their file."""

    name: str
    node_ids: pa.Array
    vectors: np.ndarray  # (n, dim) float32, contiguous
    norm_ok: np.ndarray  # (n,) bool; False for a zero vector, which is never returned
    node_rows: np.ndarray  # (n,) int32, row in the nodes table; -1 where it is no node

    def to_table(self) -> pa.Table:
        """Return the rows of the table node_vectors: where a node's vector stands."""
        count = len(self.node_ids)
        return pa.table(
            {
                "node_id": self.node_ids,
                "space": pa.array([self.name] * count, pa.string()),
                "row": pa.array(np.arange(count, dtype=np.int32)),
                "norm_ok": pa.array(self.norm_ok),
                "node_row": pa.array(self.node_rows, pa.int32()),
            }
        )


def main_space(order: SearchOrder, table: pa.Table) -> VectorSpace:
    """Return the vectors of `table` in the order of the search; a node without one gets zeros and norm_ok False."""
    matrix, norm_ok = _matrix(table)
    # Row -1 of the padded arrays is that of a node without a vector.
    rows = rows_of(order.node_ids, table.column("node_id"))
    padded = np.vstack([matrix, np.zeros((1, matrix.shape[1]), np.float32)])
    return VectorSpace("main", order.node_ids, padded[rows], np.append(norm_ok, [False])[rows], order.node_rows)


def other_space(name: str, nodes: pa.Table, table: pa.Table) -> VectorSpace:
    """Return the vectors of `table` as they stand, with the rows of their ids in `nodes` where they are nodes."""
    matrix, norm_ok = _matrix(table)
    node_ids = table.column("node_id").combine_chunks()
    return VectorSpace(name, node_ids, matrix, norm_ok, rows_of(node_ids, nodes.column("node_id")))


def _matrix(table: pa.Table) -> tuple[np.ndarray, np.ndarray]:
    column = table.column("vector")
    parts = [chunk.flatten().to_numpy(zero_copy_only=False) for chunk in column.chunks]
    flat = np.concatenate([np.empty(0, np.float32), *parts])
    norm_ok = np.asarray(table.column("norm_ok").to_numpy(), bool)
    return flat.reshape(table.num_rows, column.type.list_size), norm_ok
