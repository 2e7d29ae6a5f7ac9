"""A cache of computed rows, keyed by content: append-only Parquet parts that survive a kill at any moment."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import TracebackType

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from kohaku_lib.storage.caches.cache_parts import KEY, PART_ROWS, PARTS, part_damage, rows_of_part, write_part
from kohaku_lib.storage.caches.hash_memo import HashMemo
from kohaku_lib.storage.caches.key_index import KeyIndex
from kohaku_lib.storage.file_checks import CHECKED


class RowCache:
    """Rows of `schema` (without the key) by string key, in Parquet parts under `folder`.

    A part is written under a temporary name and renamed, so readers and later runs only see complete parts;
    several processes may append concurrently. Added rows are flushed every `flush_rows` rows or `flush_s` seconds,
    and when the cache is closed. A damaged part is skipped and counted in `unreadable_parts`.

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
        self._parts: list[Path] = []
        self._index = KeyIndex()
        self._hashes = HashMemo(folder / CHECKED)
        self.refresh()

    def __contains__(self, key: str) -> bool:
        return key in self._pending or key in self._index

    def __len__(self) -> int:
        return len(self._index) + len(self._pending)

    def get_many(self, keys: Iterable[str]) -> pa.Table:
        """Return the rows of the known ones of `keys`, each once, with their key; the order is undefined."""
        wanted = list(dict.fromkeys(keys))
        tables = self._read_parts(wanted)
        if tables is None:  # parts were compacted into others meanwhile
            self.refresh()
            tables = self._read_parts(wanted) or []
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
            self._write_part(table.select(self.schema.names).cast(self.schema))

    def flush(self) -> None:
        """Make all added rows durable."""
        if self._pending:
            self._write_part(
                pa.Table.from_pylist([{KEY: key, **row} for key, row in self._pending.items()], schema=self.schema)
            )
            self._pending.clear()
        self._last_flush = time.monotonic()

    def refresh(self) -> None:
        """Index the parts that other processes wrote since, and drop the keys of removed parts."""
        known = set(self._parts)
        for at, part in enumerate(self._parts):
            if not part.exists():
                self._index.forget(at * PART_ROWS, (at + 1) * PART_ROWS)
        for part in sorted(self.folder.glob(PARTS)):
            if part in known:
                continue
            try:
                if part_damage(part, self._hashes) is not None:
                    self.unreadable_parts += 1
                    continue
                keys = pq.read_table(part, columns=[KEY], page_checksum_verification=True).column(KEY)
                self._index_part(part, keys.to_pylist())
            except (OSError, KeyError, pa.ArrowInvalid):
                self.unreadable_parts += part.exists()
        self._hashes.save()

    def __enter__(self) -> RowCache:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.flush()

    def _write_part(self, table: pa.Table) -> None:
        part = write_part(self.folder, table)
        self._hashes.sha256(part)
        self._hashes.save()
        self._index_part(part, table.column(KEY).to_pylist())

    def _read_parts(self, keys: Sequence[str]) -> list[pa.Table] | None:
        """Return the rows of `keys` in the parts; None if a part is no longer there."""
        places = self._index.places(keys)
        places = np.sort(places[places >= 0])
        tables: list[pa.Table] = []
        for part in np.unique(places // PART_ROWS):
            table = self._read_rows(int(part), places[places // PART_ROWS == part] % PART_ROWS)
            if table is not None:
                tables.append(table)
            elif not self._parts[part].exists():
                return None
        return tables

    def _read_rows(self, part: int, rows: np.ndarray) -> pa.Table | None:
        """Return `rows` of a part, None if it is unreadable; its keys are then dropped, so that its rows are recomputed."""
        try:
            return rows_of_part(self._parts[part], self.schema, rows)
        except (OSError, KeyError, pa.ArrowInvalid, pa.ArrowNotImplementedError):
            self.unreadable_parts += self._parts[part].exists()
            self._index.forget(part * PART_ROWS, (part + 1) * PART_ROWS)
            return None

    def _index_part(self, part: Path, keys: Sequence[str]) -> None:
        start = len(self._parts) * PART_ROWS
        self._parts.append(part)
        self._index.add(keys, start)
