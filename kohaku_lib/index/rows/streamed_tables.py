"""Streaming of rows from Python into a DuckDB table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING

import pyarrow as pa

if TYPE_CHECKING:
    import duckdb


def stream_table(
    connection: duckdb.DuckDBPyConnection, name: str, schema: pa.Schema, batches: Iterable[pa.RecordBatch]
) -> None:
    """Create the table `name` with the rows of `batches`, in their order.

    Raises:
        ValueError: a batch does not match `schema`.
        BaseException: whatever `batches` raises.

    >>> import duckdb
    >>> batches = [pa.record_batch({"a": [1, 2]}), pa.record_batch({"a": [3]})]
    >>> with duckdb.connect() as connection:
    ...     stream_table(connection, "numbers", batches[0].schema, batches)
    ...     connection.sql("SELECT sum(a) FROM numbers").fetchall()
    [(6,)]
    """
    import duckdb

    rows = _FaultRecordingBatches(schema, iter(batches))
    connection.register(f"streamed_{name}", pa.RecordBatchReader.from_batches(schema, rows))
    try:
        connection.execute(f"CREATE TABLE {name} AS SELECT * FROM streamed_{name}")  # noqa: S608 - own names
    except Exception as error:
        if rows.fault is not None:
            raise rows.fault from error
        raise
    finally:
        with suppress(duckdb.Error):  # a failed transaction accepts no statement
            connection.unregister(f"streamed_{name}")


class _FaultRecordingBatches:
    """Record the exception of an iterator, Ctrl-C included, which DuckDB would replace with its own."""

    def __init__(self, schema: pa.Schema, rows: Iterator[pa.RecordBatch]) -> None:
        self._schema, self._rows = schema, rows
        self.fault: BaseException | None = None

    def __iter__(self) -> _FaultRecordingBatches:
        return self

    def __next__(self) -> pa.RecordBatch:
        try:
            return self._check_schema(next(self._rows))
        except StopIteration:
            raise
        except BaseException as fault:
            self.fault = fault
            raise

    def _check_schema(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        if not batch.schema.equals(self._schema):
            msg = f"rows of a table of {self._schema} must have its columns, got {batch.schema}"
            raise ValueError(msg)
        return batch
