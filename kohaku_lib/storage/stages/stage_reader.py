"""Partial reads of a stage file."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from kohaku_lib.errors import StoreError
from kohaku_lib.storage.stages.stage_parts import Piece

PIECES = b"kohaku.pieces"


class StageReader:
    """The rows of the Parquet file at `path`, over `columns` (None: all).

    Opening raises pyarrow's OSError or ArrowInvalid; reading raises StoreError if pages are damaged.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     pq.write_table(pa.table({"a": [1, 2, 3]}), f"{folder}/t.parquet", row_group_size=2)
    ...     StageReader(Path(folder, "t.parquet")).rows(1, 2).to_pydict()
    {'a': [2, 3]}
    """

    def __init__(self, path: Path, columns: Sequence[str] | None = None) -> None:
        self.path = path
        self._file = pq.ParquetFile(path, page_checksum_verification=True)
        whole = self._file.schema_arrow.remove_metadata()
        self.columns = list(columns) if columns is not None else whole.names
        self.schema: pa.Schema = pa.schema([whole.field(name) for name in self.columns])
        self.num_rows: int = self._file.metadata.num_rows
        groups = [self._file.metadata.row_group(at).num_rows for at in range(self._file.num_row_groups)]
        self._bounds = np.cumsum([0, *groups])
        self._cached: tuple[int, pa.Table] | None = None

    def select(self, columns: Sequence[str]) -> StageReader:
        """Return a reader of the same file over `columns`."""
        return StageReader(self.path, columns)

    @cached_property
    def pieces(self) -> tuple[Piece, ...]:
        """The pieces of the rows, in order; a single piece without a key if the file lists none."""
        listed = (self._file.metadata.metadata or {}).get(PIECES)
        if listed is None:
            return (Piece("", self.num_rows),)
        return tuple(Piece.from_json(content) for content in json.loads(listed))

    @cached_property
    def starts(self) -> np.ndarray:
        """The first row of every piece, and the total number of rows, (pieces + 1,)."""
        return np.cumsum([0, *(piece.rows for piece in self.pieces)])

    @cached_property
    def place_of(self) -> dict[str, int]:
        """The index of every piece by its key; the first of equal keys."""
        return {piece.key: at for at, piece in reversed(list(enumerate(self.pieces))) if piece.key}

    def rows(self, start: int, count: int) -> pa.Table:
        """Return `count` rows from row `start` on, reading only the row groups that contain them."""
        first = max(0, int(np.searchsorted(self._bounds, start, "right")) - 1)
        tables: list[pa.Table] = [self.schema.empty_table()]
        for group in range(first, self._file.num_row_groups):
            low, high = (int(bound) for bound in self._bounds[group : group + 2])
            if low >= start + count:
                break
            begin = max(start, low)
            tables.append(self._group(group).slice(begin - low, min(start + count, high) - begin))
        return pa.concat_tables(tables)

    def batches(self, rows: int = 2**15) -> Iterator[pa.Table]:
        """Yield all rows in order, at most `rows` at a time; one empty table if there are none."""
        for start in range(0, max(1, self.num_rows), rows):
            yield self.rows(start, rows)

    def head(self, count: int) -> pa.Table:
        """Return the first `count` rows, or all if there are fewer, decoding little more."""
        found: list[pa.RecordBatch] = []
        wanted = min(count, self.num_rows)
        with _store_error_if_damaged(self.path):
            for batch in self._file.iter_batches(count, columns=self.columns, use_threads=False) if wanted else ():
                found.append(batch.slice(0, wanted))
                wanted -= found[-1].num_rows
                if not wanted:
                    break
        columns = [batch.select(self.columns).replace_schema_metadata() for batch in found]
        return pa.Table.from_batches(columns, self.schema)

    def table(self) -> pa.Table:
        """Return all rows."""
        with _store_error_if_damaged(self.path):
            return self._file.read(columns=self.columns).replace_schema_metadata()

    def _group(self, group: int) -> pa.Table:
        """Decode a row group; the last one is cached, as the next read often starts in it."""
        if self._cached is None or self._cached[0] != group:
            self._cached = None
            # Arrow would hold freed groups for a while and they add up; `use_threads` would pin them per thread.
            pa.default_memory_pool().release_unused()
            with _store_error_if_damaged(self.path):
                found = self._file.read_row_group(group, columns=self.columns, use_threads=False)
            self._cached = group, found.replace_schema_metadata()
        return self._cached[1]


@contextmanager
def _store_error_if_damaged(path: Path) -> Iterator[None]:
    try:
        yield
    except (OSError, pa.ArrowInvalid) as error:
        msg = f"the stage file {str(path)!r} cannot be read ({error}); run 'kohaku doctor'"
        raise StoreError(msg) from error
