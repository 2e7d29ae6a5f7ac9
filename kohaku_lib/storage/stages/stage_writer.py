"""Incremental writer of a stage file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from kohaku_lib.digests import TableDigest
from kohaku_lib.storage.stages.stage_parts import Piece, StagePart
from kohaku_lib.storage.stages.stage_reader import PIECES

GROUP_ROWS, GROUP_BYTES = 2**14, 2**24  # a reader holds at least one row group


class StageWriter:
    """A Parquet file at `path` that grows by parts; the first part determines the schema.

    Parts are merged or split into row groups of up to 16,384 rows or 16 MiB. With `hashed=True` the digest of all rows is
    computed along the way.
    """

    def __init__(self, path: Path, *, hashed: bool = False) -> None:
        self.path = path
        self.rows = 0
        self._hashed = hashed
        self._content: TableDigest | None = None
        self._writer: pq.ParquetWriter | None = None
        self._pieces: list[Piece] = []
        self._pending: list[pa.Table] = []
        self._pending_rows = self._pending_bytes = 0

    def append(self, part: StagePart) -> None:
        """Add the rows of `part`; if any part lists its pieces, all must."""
        if self._writer is None:
            schema = part.table.schema.remove_metadata()
            self._writer = _open(self.path, schema)
            self._content = TableDigest(schema) if self._hashed else None
        self.rows += part.table.num_rows
        self._pieces += part.pieces
        self._pending.append(part.table)
        self._pending_rows += part.table.num_rows
        self._pending_bytes += part.table.nbytes
        if self._pending_rows >= GROUP_ROWS or self._pending_bytes >= GROUP_BYTES:
            self._flush()

    @property
    def content_hash(self) -> str | None:
        """The `table_digest` of all written rows; None before the first part or unless `hashed`."""
        return self._content.hex() if self._content is not None else None

    def close(self) -> None:
        """Flush pending rows and write the footer."""
        if self._writer is None:
            return
        self._flush()
        if self._pieces and sum(piece.rows for piece in self._pieces) == self.rows:
            pieces = json.dumps([piece.to_json() for piece in self._pieces])
            self._writer.add_key_value_metadata({PIECES.decode(): pieces})
        self._writer.close()

    def _flush(self) -> None:
        if not self._pending:
            return
        table = pa.concat_tables(self._pending)
        self._pending, self._pending_rows, self._pending_bytes = [], 0, 0
        if self._content is not None:
            table = table.combine_chunks()  # hashing has a fixed cost per chunk
            self._content.add(table)
        if table.num_rows and self._writer is not None:
            by_size = max(1, GROUP_BYTES * table.num_rows // max(1, table.nbytes))
            self._writer.write_table(table, row_group_size=min(GROUP_ROWS, by_size))


def _open(path: Path, schema: pa.Schema) -> pq.ParquetWriter:
    options: dict[str, Any] = {"compression": "zstd", "use_dictionary": True}
    # Vector components neither repeat nor compress, and are never filtered by value.
    vectors = [field.name for field in schema if pa.types.is_fixed_size_list(field.type)]
    others = [field.name for field in schema if field.name not in vectors]
    if vectors:
        uncompressed = {f"{name}.list.item": "none" for name in vectors}
        options = {
            "compression": {**dict.fromkeys(others, "zstd"), **uncompressed},
            "use_dictionary": others,
            "write_statistics": others,
        }
    # Item names of lists are part of the type and so of the content hash.
    return pq.ParquetWriter(path, schema, use_compliant_nested_type=False, write_page_checksum=True, **options)
