"""Memory-mapped Arrow tables: opening reads nothing, and processes share the pages."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from pathlib import Path

import pyarrow as pa


def write_table(path: Path, table: pa.Table) -> None:
    """Write `table` uncompressed in one batch, or in none if it has no rows."""
    write_batches(path, table.schema, [table])


def write_batches(path: Path, schema: pa.Schema, batches: Iterable[pa.Table]) -> None:
    """Write `batches` uncompressed, combining chunks one column at a time.

    Raises:
        ValueError: a batch does not match `schema`.
    """
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, schema) as writer:
        for columns in map(partial(_columns, schema), batches):
            if len(columns[0]):
                writer.write_batch(pa.record_batch([_in_one(columns.pop(0)) for _ in schema], schema=schema))


def map_table(path: Path) -> pa.Table:
    """Memory-map a file by `write_table`; raises OSError or ArrowInvalid if it is damaged."""
    return pa.ipc.open_file(pa.memory_map(str(path))).read_all()


def _columns(schema: pa.Schema, table: pa.Table) -> list[pa.ChunkedArray]:
    if (table.schema.names, table.schema.types) != (schema.names, schema.types):
        msg = f"rows of a file of {schema} must have its columns in their order, got {table.schema}"
        raise ValueError(msg)
    return table.columns


def _in_one(column: pa.ChunkedArray) -> pa.Array:
    return column.chunk(0) if column.num_chunks == 1 else pa.concat_arrays(column.chunks)
