"""Batch access to a table in memory or in a stage file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Protocol

import numpy as np
import pyarrow as pa

from kohaku_lib.storage import StageReader

if TYPE_CHECKING:
    import duckdb

BATCH_ROWS = 2**14


class TableRows(Protocol):
    """Rows of `schema`; a `StageReader` is one."""

    @property
    def schema(self) -> pa.Schema:
        """The names and types of the columns."""
        ...

    @property
    def num_rows(self) -> int:
        """The number of rows."""
        ...

    def select(self, columns: Sequence[str]) -> TableRows:
        """Return the same rows over `columns` alone."""
        ...

    def rows(self, start: int, count: int) -> pa.Table:
        """Return `count` rows from row `start` on."""
        ...

    def batches(self, rows: int = BATCH_ROWS) -> Iterator[pa.Table]:
        """Yield all rows in order, at most `rows` at a time; one empty table if there are none."""
        ...

    def table(self) -> pa.Table:
        """Return all rows."""
        ...


class InMemoryRows:
    """The rows of a table in memory.

    >>> [part.num_rows for part in InMemoryRows(pa.table({"a": [1, 2, 3]})).batches(2)]
    [2, 1]
    """

    def __init__(self, table: pa.Table) -> None:
        self._table = table
        self.schema: pa.Schema = table.schema
        self.num_rows: int = table.num_rows

    def select(self, columns: Sequence[str]) -> InMemoryRows:
        """Return the same rows over `columns` alone."""
        return InMemoryRows(self._table.select(list(columns)))

    def rows(self, start: int, count: int) -> pa.Table:
        """Return `count` rows from row `start` on."""
        return self._table.slice(start, count)

    def batches(self, rows: int = BATCH_ROWS) -> Iterator[pa.Table]:
        """Yield all rows in order, at most `rows` at a time; one empty table if there are none."""
        for start in range(0, max(1, self.num_rows), rows):
            yield self._table.slice(start, rows)

    def table(self) -> pa.Table:
        """Return all rows."""
        return self._table


def rows_in(table: pa.Table | StageReader) -> TableRows:
    """Wrap either kind of table as `TableRows`."""
    return InMemoryRows(table) if isinstance(table, pa.Table) else table


def flags_of(rows: TableRows, name: str) -> np.ndarray:
    """Return a boolean column, (rows,)."""
    batches = rows.select([name]).batches()
    return np.concatenate([np.asarray(batch.column(0).to_numpy(), bool) for batch in batches])


def register(connection: duckdb.DuckDBPyConnection, name: str, rows: TableRows, numbered: str | None = None) -> None:
    """Create a view `name` of `rows` in a DuckDB connection, with row numbers as the column `numbered`.

    A stage file is scanned by DuckDB at every query, not loaded.
    """
    extra = f", (row_number() OVER () - 1)::INTEGER AS {numbered}" if numbered else ""
    if isinstance(rows, StageReader):
        columns = ", ".join(f'"{column}"' for column in rows.schema.names)
        path = "'" + str(rows.path.resolve()).replace("'", "''") + "'"
        if numbered:
            extra = f", file_row_number::INTEGER AS {numbered}"
        source = f"read_parquet({path}, file_row_number = {str(numbered is not None).lower()})"
        query = f"SELECT {columns}{extra} FROM {source}"  # noqa: S608 - own names
    else:
        connection.register(f"held_{name}", rows.table())
        query = f"SELECT *{extra} FROM held_{name}"  # noqa: S608 - own names
    connection.execute(f"CREATE TEMP VIEW {name} AS {query}")
