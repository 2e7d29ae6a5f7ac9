"""A vector space of a snapshot: ids, one contiguous matrix, and which rows are no real vectors."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from kohaku_lib.embedding.vectors import vector_matrix
from kohaku_lib.index.arrow_files import write_table
from kohaku_lib.index.matrix_files import scatter_matrix
from kohaku_lib.index.row_lookup import rows_of
from kohaku_lib.index.search_order import SearchOrder
from kohaku_lib.index.snapshot_files import matrix_path, rows_path
from kohaku_lib.index.table_rows import BATCH_ROWS, TableRows, column_of, flags_of


@dataclass(frozen=True, slots=True)
class VectorSpace:
    """What stands in each row of a space; its vectors are rows of `matrix`."""

    name: str
    node_ids: pa.Array
    norm_ok: np.ndarray  # (n,) bool; False for a zero vector, which is never returned
    node_rows: np.ndarray  # (n,) int32, row in the nodes table; -1 where it is no node
    vectors: TableRows  # vector_schema(dim), in the order in which they came
    vector_rows: np.ndarray  # (n,) row in `vectors`; -1 for zeros

    def write(self, folder: Path) -> None:
        """Write the matrix in the order of the space, and the rows beside it."""
        shape = (len(self.node_ids), self.vectors.schema.field("vector").type.list_size)
        scatter_matrix(matrix_path(folder, self.name), shape, self._blocks())
        write_table(rows_path(folder, self.name), self.to_table().select(["node_id", "norm_ok", "node_row"]))

    def to_table(self) -> pa.Table:
        """Return the rows of the table node_vectors: where a node's vector stands."""
        count = len(self.node_ids)
        return pa.table(
            {
                "node_id": self.node_ids,
                "space": pa.repeat(self.name, count),
                "row": pa.array(np.arange(count, dtype=np.int32)),
                "norm_ok": pa.array(self.norm_ok),
                "node_row": pa.array(self.node_rows, pa.int32()),
            }
        )

    def _blocks(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Yield rows of this space and their vectors, as they stand in the table."""
        wanted = np.flatnonzero(self.vector_rows >= 0)
        places = np.full(self.vectors.num_rows, -1, np.int64)
        places[self.vector_rows[wanted]] = wanted
        start = 0
        for batch in self.vectors.select(["vector"]).batches(BATCH_ROWS):
            rows = places[start : start + batch.num_rows]
            yield rows[rows >= 0], vector_matrix(batch)[rows >= 0]
            start += batch.num_rows


def main_space(order: SearchOrder, vectors: TableRows) -> VectorSpace:
    """Return `vectors` in the order of the search; a node without one gets zeros and norm_ok False."""
    rows = rows_of(order.node_ids, column_of(vectors, "node_id"))
    known = np.append(flags_of(vectors, "norm_ok"), [False])[rows]  # row -1 is that of a node without a vector
    return VectorSpace("main", order.node_ids, known, order.node_rows, vectors, rows)


def other_space(name: str, known_ids: pa.Array, vectors: TableRows) -> VectorSpace:
    """Return `vectors` as they stand, with the rows of their ids in `known_ids` (nodes,) where they are nodes."""
    node_ids = column_of(vectors, "node_id")
    node_rows = rows_of(node_ids, known_ids)
    return VectorSpace(name, node_ids, flags_of(vectors, "norm_ok"), node_rows, vectors, np.arange(vectors.num_rows))
