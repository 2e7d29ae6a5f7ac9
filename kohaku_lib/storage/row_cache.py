"""A cache of computed rows, keyed by content: append-only Parquet parts that survive a kill at any moment."""

from __future__ import annotations

import os
import time
import uuid
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import TracebackType

import pyarrow as pa
import pyarrow.parquet as pq

KEY = "key"


class RowCache:
    """Rows of `schema` (without the key) by string key, in Parquet parts under `folder`.

    A part is written under a temporary name and renamed, so that readers and later runs see whole parts only;
    several processes may append at once. Added rows are flushed every `flush_rows` rows or `flush_s` seconds,
    and when the cache is closed. A part that cannot be read is left out and counted in `unreadable_parts`.

    >>> import tempfile, pyarrow as pa
    >>> schema = pa.schema([("length", pa.int64())])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with RowCache(Path(folder), schema) as cache:
    ...         cache.add("kohaku", {"length": 6})
    ...     RowCache(Path(folder), schema).get_many(["kohaku", "amber"]).to_pylist()
    [{'key': 'kohaku', 'length': 6}]
    """

    def __init__(self, folder: Path, schema: pa.Schema, *, flush_rows: int = 512, flush_s: float = 15.0) -> None:
        self.folder = folder
        self.schema = pa.schema([pa.field(KEY, pa.string(), nullable=False), *schema])
        self.unreadable_parts = 0
        self._flush_rows, self._flush_s = flush_rows, flush_s
        self._pending: dict[str, Mapping[str, object]] = {}
        self._last_flush = time.monotonic()
        self._where: dict[str, tuple[Path, int]] = {}
        for part in sorted(folder.glob("part-*.parquet")):
            self._index(part)

    def __contains__(self, key: str) -> bool:
        return key in self._where or key in self._pending

    def __len__(self) -> int:
        return len(self._where) + len(self._pending)

    def get_many(self, keys: Iterable[str]) -> pa.Table:
        """Return the rows of those `keys` that are known, each once, with their key; their order is not defined."""
        wanted = dict.fromkeys(keys)
        rows_by_part: dict[Path, list[int]] = {}
        for key in wanted:
            if key in self._where:
                part, row = self._where[key]
                rows_by_part.setdefault(part, []).append(row)
        found = [(self._read(part), rows) for part, rows in rows_by_part.items()]
        tables = [table.take(rows) for table, rows in found if table is not None]
        pending = [{KEY: key, **self._pending[key]} for key in wanted if key in self._pending]
        return pa.concat_tables([*tables, pa.Table.from_pylist(pending, schema=self.schema)])

    def add(self, key: str, row: Mapping[str, object]) -> None:
        """Add one row; it is durable after the next flush."""
        self._pending[key] = row
        if len(self._pending) >= self._flush_rows or time.monotonic() - self._last_flush >= self._flush_s:
            self.flush()

    def add_table(self, table: pa.Table) -> None:
        """Add the rows of `table` (with its key column) as one part, durable on return."""
        if table.num_rows:
            self._write(table.select(self.schema.names).cast(self.schema))

    def flush(self) -> None:
        """Make all added rows durable."""
        if self._pending:
            self._write(
                pa.Table.from_pylist([{KEY: key, **row} for key, row in self._pending.items()], schema=self.schema)
            )
            self._pending.clear()
        self._last_flush = time.monotonic()

    def __enter__(self) -> RowCache:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.flush()

    def _write(self, table: pa.Table) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        part = self.folder / f"part-{time.time_ns():020d}-{uuid.uuid4().hex[:8]}.parquet"
        temporary = part.with_suffix(".tmp")
        pq.write_table(table, temporary)
        with temporary.open("rb") as stream:
            os.fsync(stream.fileno())
        temporary.replace(part)
        for row, key in enumerate(table.column(KEY).to_pylist()):
            self._where.setdefault(key, (part, row))

    def _read(self, part: Path) -> pa.Table | None:
        """The rows of a part; where they are damaged it is forgotten, so that they are computed again."""
        try:
            return pq.read_table(part, schema=self.schema)
        except (OSError, pa.ArrowInvalid, pa.ArrowNotImplementedError):
            self.unreadable_parts += 1
            self._where = {key: place for key, place in self._where.items() if place[0] != part}
            return None

    def _index(self, part: Path) -> None:
        try:
            keys = pq.read_table(part, columns=[KEY]).column(KEY).to_pylist()
        except (OSError, KeyError, pa.ArrowInvalid):
            self.unreadable_parts += 1
            return
        for row, key in enumerate(keys):
            self._where.setdefault(key, (part, row))
