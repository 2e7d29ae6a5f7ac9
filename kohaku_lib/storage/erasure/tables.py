"""Rows of Parquet files, and lines of text files, that hold a document."""

from __future__ import annotations

import csv
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from kohaku_lib.storage.atomic import write_atomically
from kohaku_lib.storage.caches.cache_parts import KEY, write_part
from kohaku_lib.storage.csv_cells import cells_of_any_length
from kohaku_lib.storage.erasure.traces import Traces, strings_of

_BATCH_ROWS = 4096


def held_rows(path: Path, traces: Traces, keys: frozenset[str] = frozenset()) -> np.ndarray:
    """Return which rows of a Parquet file hold the document or have one of `keys`, (rows,) bool.

    Raises:
        OSError, pyarrow.ArrowException: The file is damaged.
    """
    file = pq.ParquetFile(path)
    columns = [field.name for field in file.schema_arrow if _has_text(field.type)]
    masks = [np.zeros(0, dtype=bool)]
    for batch in file.iter_batches(_BATCH_ROWS, columns=columns):
        held = np.zeros(batch.num_rows, dtype=bool)
        for name, column in zip(batch.schema.names, batch.columns, strict=True):
            values = column.to_pylist()
            if name == KEY:
                held |= np.fromiter((value in keys for value in values), bool, len(values))
            held |= np.fromiter((any(map(traces.is_held, strings_of(value))) for value in values), bool, len(values))
        masks.append(held)
    return np.concatenate(masks)


def erase_rows(path: Path, traces: Traces) -> int:
    """Rewrite a Parquet file without the rows that hold the document, or delete a damaged one; return the number of rows."""
    found = _kept(path, traces, frozenset())
    if found is None:
        path.unlink()
        return 1
    kept, number = found
    if number:
        write_atomically(path, partial(pq.write_table, kept))
    return number


def erase_cached(part: Path, traces: Traces, keys: frozenset[str]) -> int:
    """Replace a part of a row cache by one without the rows that hold the document or have one of `keys`.

    A damaged part is deleted. Returns the number of rows.
    """
    found = _kept(part, traces, keys)
    kept, number = found or (None, 1)
    if kept is not None and number and kept.num_rows:
        write_part(part.parent, kept)  # before the other goes, so that a kill in between loses no row
    if number:
        part.unlink()
    return number


def erase_lines(path: Path, traces: Traces) -> int:
    """Rewrite a file of JSON lines without those that hold the document; return their number."""
    lines = path.read_bytes().splitlines(keepends=True)
    kept = [line for line in lines if not traces.is_held(line.decode("utf-8", "replace"))]
    if len(kept) < len(lines):
        write_atomically(path, lambda temporary: temporary.write_bytes(b"".join(kept)))
    return len(lines) - len(kept)


def erase_csv_rows(path: Path, traces: Traces) -> int:
    """Rewrite a CSV file without the rows behind its header that hold the document; return their number."""
    with path.open(encoding="utf-8", errors="replace", newline="") as file, cells_of_any_length():
        rows = list(csv.reader(file))
    kept = [row for row in rows[1:] if not any(map(traces.is_held, row))]
    number = len(rows[1:]) - len(kept)
    if number:
        write_atomically(path, partial(_write_csv, [*rows[:1], *kept]))
    return number


def is_held_or_damaged(path: Path, traces: Traces) -> bool:
    """Return whether a Parquet file holds the document; a damaged one may."""
    try:
        return bool(held_rows(path, traces).any())
    except (OSError, pa.ArrowException):
        return True


def _kept(path: Path, traces: Traces, keys: frozenset[str]) -> tuple[pa.Table, int] | None:
    """Return the other rows and the number of those that go; None if the file is damaged."""
    try:
        held = held_rows(path, traces, keys)
        kept = pq.read_table(path).filter(pa.array(~held)) if held.any() else pa.table({})
    except (OSError, pa.ArrowException):
        return None
    return kept, int(held.sum())


def _write_csv(rows: list[list[str]], path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)


def _has_text(kind: pa.DataType) -> bool:
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return True
    return any(_has_text(kind.field(number).type) for number in range(kind.num_fields))
