"""The table of vectors in a snapshot's database, from which the mapped matrices are rebuilt."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from kohaku_lib.embedding.vectors import vector_matrix
from kohaku_lib.index.rows.streamed_tables import stream_table
from kohaku_lib.index.snapshots.arrow_files import map_table
from kohaku_lib.index.snapshots.snapshot_files import SPACES, matrix_path, rows_path
from kohaku_lib.storage.matrix_files import matrix_blocks, scatter_matrix

if TYPE_CHECKING:
    import duckdb

BLOCK_ROWS = 2**11  # the rows of one vector of DuckDB; more only cost memory


def write_vector_table(connection: duckdb.DuckDBPyConnection, folder: Path, dim: int) -> None:
    """Write the table `node_vectors` from the matrices of `folder`: a row per vector, of all spaces, in their order."""
    columns = [
        ("node_id", pa.string()),
        ("space", pa.string()),
        ("row", pa.int32()),
        ("norm_ok", pa.bool_()),
        ("node_row", pa.int32()),
        ("vector", pa.list_(pa.float32(), dim)),
    ]
    schema = pa.schema(columns)
    stream_table(connection, "node_vectors", schema, _batches(folder, schema))


def rebuild_matrix(connection: duckdb.DuckDBPyConnection, path: Path, space: str, dim: int) -> None:
    """Write the matrix of a space from the table `node_vectors` to `path`, as it was first written."""
    found = connection.sql("SELECT row, vector FROM node_vectors WHERE space = ?", params=[space])
    [(rows,)] = found.aggregate("count(*)").fetchall()
    tables = map(pa.Table.from_batches, ([batch] for batch in found.to_arrow_reader(BLOCK_ROWS)))
    scatter_matrix(path, (rows, dim), ((table["row"].to_numpy(), vector_matrix(table)) for table in tables))


def _batches(folder: Path, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    for space in SPACES:
        known, low = map_table(rows_path(folder, space)), 0
        for block in matrix_blocks(matrix_path(folder, space), BLOCK_ROWS):
            rows = known.slice(low, len(block)).combine_chunks()
            vectors = pa.FixedSizeListArray.from_arrays(pa.array(block.ravel()), type=schema.field("vector").type)
            numbers = np.arange(low, low + len(block), dtype=np.int32)
            own = {"space": pa.array([space] * len(block)), "row": numbers, "vector": vectors}
            own |= {name: rows[name].combine_chunks() for name in rows.column_names}
            yield pa.record_batch([own[name] for name in schema.names], schema=schema)
            low += len(block)
