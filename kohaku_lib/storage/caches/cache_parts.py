"""The Parquet parts of a row cache: written atomically, immutable, and compacted into fewer."""

from __future__ import annotations

import os
import re
import time
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from kohaku_lib.digests import file_sha256
from kohaku_lib.storage.caches.hash_memo import HashMemo
from kohaku_lib.storage.file_checks import CHECKED

KEY, PARTS = "key", "part-*.parquet"
PART_ROWS = 2**32  # upper bound of the rows of a part
GROUP_ROWS = 2**11  # the smallest unit of reading
FULL_BYTES = 2**26  # parts of this size are not compacted
_HASHED = re.compile(r"part-\d+-([0-9a-f]{16})")  # the name carries the first digits of the content's SHA-256


@dataclass(frozen=True, slots=True)
class Compaction:
    """The effect of a compaction, in parts and bytes on disk."""

    parts_before: int
    parts_after: int
    bytes_before: int
    bytes_after: int


def write_part(folder: Path, table: pa.Table) -> Path:
    """Write `table` as a new part in `folder`, durable on return, and return its path."""
    folder.mkdir(parents=True, exist_ok=True)
    temporary = folder / f"part-{uuid.uuid4().hex}.tmp"
    pq.write_table(table, temporary, row_group_size=GROUP_ROWS, write_page_checksum=True)
    with temporary.open("rb") as stream:
        os.fsync(stream.fileno())
    part = folder / f"part-{time.time_ns():020d}-{file_sha256(temporary)[:16]}.parquet"
    temporary.replace(part)
    return part


def part_damage(part: Path, hashes: HashMemo) -> str | None:
    """Describe the damage of a part as the end of a sentence; None if it is sound or gone.

    A part without a hash in its name counts as sound; reading it reveals damage.
    """
    named = _HASHED.fullmatch(part.stem)
    if named is None:
        return None
    try:
        is_same = hashes.sha256(part).startswith(named.group(1))
    except FileNotFoundError:
        return None
    except OSError as error:
        return f"cannot be read ({error.strerror})"
    return None if is_same else "has changed since it was written"


def rows_of_part(part: Path, schema: pa.Schema, rows: np.ndarray) -> pa.Table:
    """Return the sorted `rows` of a part, reading only the row groups that contain them.

    Raises:
        OSError, KeyError, pyarrow.ArrowException: The part is damaged or lacks a column.

    """
    with pq.ParquetFile(part, page_checksum_verification=True) as file:
        sizes = [file.metadata.row_group(at).num_rows for at in range(file.num_row_groups)]
        starts = np.cumsum([0, *sizes])
        groups = np.searchsorted(starts, rows, "right") - 1
        tables = [
            file.read_row_group(int(group), columns=schema.names).take(pa.array(rows[groups == group] - starts[group]))
            for group in np.unique(groups)
        ]
    return pa.concat_tables(tables).select(schema.names).cast(schema)


def compact(folder: Path, full_bytes: int = FULL_BYTES) -> Compaction:
    """Merge the small parts of `folder` into parts of about `full_bytes`, with each key once per part.

    New parts are durable before the old ones are removed, so a kill duplicates rows but loses none. A writer may add parts
    meanwhile; a reader that misses a part scans the folder again. Damaged parts are left in place.
    """
    before, hashes = sorted(folder.glob(PARTS)), HashMemo(folder / CHECKED)
    sizes = {part: part.stat().st_size for part in before}
    small = [part for part in before if sizes[part] < full_bytes // 2 and part_damage(part, hashes) is None]
    for group in _merge_groups(small, sizes, full_bytes):
        _merge_parts(folder, group)
    after = list(folder.glob(PARTS))
    return Compaction(len(before), len(after), sum(sizes.values()), sum(part.stat().st_size for part in after))


def _merge_groups(parts: Sequence[Path], sizes: dict[Path, int], full_bytes: int) -> Iterator[list[Path]]:
    """Yield runs of at least two parts with the same schema, each run of up to `full_bytes`."""
    by_schema: dict[str, list[Path]] = {}
    for part in parts:
        try:
            by_schema.setdefault(str(pq.read_schema(part).remove_metadata()), []).append(part)
        except (OSError, pa.ArrowInvalid):
            continue
    for alike in by_schema.values():
        run: list[Path] = []
        for part in alike:
            if run and sum(sizes[one] for one in run) + sizes[part] > full_bytes:
                yield from [run] if len(run) > 1 else []
                run = []
            run.append(part)
        yield from [run] if len(run) > 1 else []


def _merge_parts(folder: Path, parts: Sequence[Path]) -> None:
    tables = []
    readable = []
    for part in parts:
        try:
            tables.append(pq.read_table(part, page_checksum_verification=True))
            readable.append(part)
        except (OSError, pa.ArrowInvalid):
            continue
    if len(readable) < 2:
        return
    table = pa.concat_tables(tables)
    first: dict[str, int] = {}
    for row, key in enumerate(table.column(KEY).to_pylist()):
        first.setdefault(key, row)
    write_part(folder, table.take(pa.array(list(first.values()))))
    for part in readable:
        part.unlink()
