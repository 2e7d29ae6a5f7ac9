"""A vector space of a snapshot: node ids, one contiguous matrix, and a mask of zero vectors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from kohaku_lib.embedding.vectors import vector_matrix
from kohaku_lib.index.rows.known_nodes import KnownNodes
from kohaku_lib.index.rows.row_lookup import hashes_of
from kohaku_lib.index.rows.table_rows import BATCH_ROWS, TableRows, flags_of
from kohaku_lib.index.snapshots.arrow_files import write_batches
from kohaku_lib.index.snapshots.snapshot_files import matrix_path, rows_path
from kohaku_lib.index.vectors.search_order import SearchOrder, search_order
from kohaku_lib.storage.matrix_files import scatter_matrix

ROWS = pa.schema([("node_id", pa.string()), ("norm_ok", pa.bool_()), ("node_row", pa.int32())])


@dataclass(frozen=True, slots=True)
class VectorSpace:
    """The rows of a space, whose vectors are rows of `vectors`.

    Ids are read in ranges on demand, as all ids together would dominate memory.
    """

    name: str
    ids: Callable[[int, int], pa.Array]  # (low, high) to ids
    norm_ok: np.ndarray  # (n,) bool; False for a zero vector, which is never returned
    node_rows: np.ndarray  # (n,) int32, row in the nodes table; -1 if not a node
    vectors: TableRows  # vector_schema(dim), in input order
    vector_rows: np.ndarray  # (n,) row in `vectors`; -1 for zeros

    def write_rows(self, folder: Path) -> None:
        """Write the node ids of the rows of the matrix."""
        write_batches(rows_path(folder, self.name), ROWS, self._row_batches())

    def write_matrix(self, folder: Path) -> None:
        """Write the vectors in the order of the space."""
        shape = (len(self.node_rows), self.vectors.schema.field("vector").type.list_size)
        scatter_matrix(matrix_path(folder, self.name), shape, self._blocks())

    def _row_batches(self) -> Iterator[pa.Table]:
        for low in range(0, max(1, len(self.node_rows)), BATCH_ROWS):
            high = min(low + BATCH_ROWS, len(self.node_rows))
            columns = [self.ids(low, high), self.norm_ok[low:high], self.node_rows[low:high]]
            yield pa.table([pa.array(column) for column in columns], schema=ROWS)

    def _blocks(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Yield rows of this space and their vectors, in the order of the table."""
        wanted = np.flatnonzero(self.vector_rows >= 0)
        places = np.full(self.vectors.num_rows, -1, np.int32)
        places[self.vector_rows[wanted]] = wanted
        start = 0
        for batch in self.vectors.select(["vector"]).batches(BATCH_ROWS):
            rows = places[start : start + batch.num_rows]
            yield rows[rows >= 0], vector_matrix(batch)[rows >= 0]
            start += batch.num_rows


def main_space(nodes: KnownNodes, vectors: TableRows) -> tuple[SearchOrder, VectorSpace]:
    """Return `vectors` in search order; a node without one gets zeros and norm_ok False."""
    rows = nodes.lookup.rows(hashes_of(vectors))
    order = search_order(nodes.rows, rows)
    vector_of_node = np.full(order.nodes, -1, np.int32)
    vector_of_node[rows[rows >= 0]] = np.flatnonzero(rows >= 0)
    vector_rows = vector_of_node[order.node_rows]
    known = np.append(flags_of(vectors, "norm_ok"), [False])[vector_rows]  # row -1: a node without a vector

    def ids(low: int, high: int) -> pa.Array:
        return nodes.take(order.node_rows[low:high], ["node_id"]).column(0).combine_chunks()

    return order, VectorSpace("main", ids, known, order.node_rows, vectors, vector_rows)


def other_space(name: str, nodes: KnownNodes, vectors: TableRows) -> VectorSpace:
    """Return `vectors` in their order, with the node rows of their ids, -1 if not in `nodes`."""
    keys = vectors.select(["node_id"])

    def ids(low: int, high: int) -> pa.Array:
        return pa.concat_arrays([*keys.rows(low, high - low).column(0).chunks, pa.array([], pa.string())])

    rows = nodes.lookup.rows(hashes_of(vectors))
    return VectorSpace(name, ids, flags_of(vectors, "norm_ok"), rows, vectors, np.arange(vectors.num_rows))
