"""A vector space of a snapshot: ids, one contiguous matrix, and which rows are no real vectors."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from kohaku_lib.index.arrow_files import write_table
from kohaku_lib.index.matrix_files import write_matrix
from kohaku_lib.index.row_lookup import rows_of
from kohaku_lib.index.search_order import SearchOrder
from kohaku_lib.index.snapshot_files import matrix_path, rows_path


@dataclass(frozen=True, slots=True)
class VectorSpace:
    """What stands in each row of a space; its vectors are rows of `matrix`."""

    name: str
    node_ids: pa.Array
    norm_ok: np.ndarray  # (n,) bool; False for a zero vector, which is never returned
    node_rows: np.ndarray  # (n,) int32, row in the nodes table; -1 where it is no node
    matrix: np.ndarray  # (vectors, dim) float32, in the order in which they came
    matrix_rows: np.ndarray  # (n,) row in `matrix`; -1 for zeros

    def write(self, folder: Path) -> None:
        """Write the matrix in the order of the space, and the rows beside it."""
        shape = (len(self.node_ids), self.matrix.shape[1])
        write_matrix(matrix_path(folder, self.name), shape, np.float32, self._block)
        write_table(rows_path(folder, self.name), self.to_table().select(["node_id", "norm_ok", "node_row"]))

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

    def _block(self, low: int, high: int) -> np.ndarray:
        rows = self.matrix_rows[low:high]
        block = np.zeros((len(rows), self.matrix.shape[1]), np.float32)
        block[rows >= 0] = self.matrix[rows[rows >= 0]]
        return block


def main_space(order: SearchOrder, table: pa.Table) -> VectorSpace:
    """Return the vectors of `table` in the order of the search; a node without one gets zeros and norm_ok False."""
    matrix, norm_ok = _matrix(table)
    rows = rows_of(order.node_ids, table.column("node_id"))
    known = np.append(norm_ok, [False])[rows]  # row -1 is that of a node without a vector
    return VectorSpace("main", order.node_ids, known, order.node_rows, matrix, rows)


def other_space(name: str, nodes: pa.Table, table: pa.Table) -> VectorSpace:
    """Return the vectors of `table` as they stand, with the rows of their ids in `nodes` where they are nodes."""
    matrix, norm_ok = _matrix(table)
    node_ids = table.column("node_id").combine_chunks()
    node_rows = rows_of(node_ids, nodes.column("node_id"))
    return VectorSpace(name, node_ids, norm_ok, node_rows, matrix, np.arange(len(matrix)))


def _matrix(table: pa.Table) -> tuple[np.ndarray, np.ndarray]:
    column = table.column("vector")
    parts = [chunk.flatten().to_numpy(zero_copy_only=False) for chunk in column.chunks]
    flat = parts[0] if len(parts) == 1 else np.concatenate([np.empty(0, np.float32), *parts])
    norm_ok = np.asarray(table.column("norm_ok").to_numpy(), bool)
    return flat.reshape(table.num_rows, column.type.list_size), norm_ok
