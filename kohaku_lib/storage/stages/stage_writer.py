"""Writes a stage file part by part."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from kohaku_lib.digests import TableDigest
from kohaku_lib.storage.stages.stage_parts import Piece, StagePart
from kohaku_lib.storage.stages.stage_reader import PIECES

GROUP_ROWS, GROUP_BYTES = 2**14, 2**24  # a row group is what a reader holds at least


class StageWriter:
    """A Parquet file at `path` that grows by parts; the first one decides the schema.

    Small parts are gathered into row groups of up to 16,384 rows or 16 MiB, larger ones are cut. Where `hashed`, the
    digest of all rows is made as they come.
    """

    def __init__(self, path: Path, *, hashed: bool = False) -> None:
        self.path = path
        self.rows = 0
        self._hashed = hashed
        self._content: TableDigest | None = None
        self._writer: pq.ParquetWriter | None = None
        self._pieces: list[Piece] = []
        self._waiting: list[pa.Table] = []
        self._waiting_rows = self._waiting_bytes = 0

    def append(self, part: StagePart) -> None:
        """Add the rows of `part`; where any part names its pieces, all must."""
        if self._writer is None:
            schema = part.table.schema.remove_metadata()
            self._writer = _open(self.path, schema)
            self._content = TableDigest(schema) if self._hashed else None
        self.rows += part.table.num_rows
        self._pieces += part.pieces
        self._waiting.append(part.table)
        self._waiting_rows += part.table.num_rows
        self._waiting_bytes += part.table.nbytes
        if self._waiting_rows >= GROUP_ROWS or self._waiting_bytes >= GROUP_BYTES:
            self._flush()

    @property
    def content_hash(self) -> str | None:
        """The `table_digest` of all rows once they are written; None where there are none or it was not asked for."""
        return self._content.hex() if self._content is not None else None

    def close(self) -> None:
        """Write what waits and the file's end."""
        if self._writer is None:
            return
        self._flush()
        if self._pieces and sum(piece.rows for piece in self._pieces) == self.rows:
            told = json.dumps([piece.to_json() for piece in self._pieces])
            self._writer.add_key_value_metadata({PIECES.decode(): told})
        self._writer.close()

    def _flush(self) -> None:
        if not self._waiting:
            return
        table = pa.concat_tables(self._waiting)
        self._waiting, self._waiting_rows, self._waiting_bytes = [], 0, 0
        if self._content is not None:
            table = table.combine_chunks()  # a digest takes its time for every chunk, however small
            self._content.add(table)
        if table.num_rows and self._writer is not None:
            by_size = max(1, GROUP_BYTES * table.num_rows // max(1, table.nbytes))
            self._writer.write_table(table, row_group_size=min(GROUP_ROWS, by_size))


def _open(path: Path, schema: pa.Schema) -> pq.ParquetWriter:
    options: dict[str, Any] = {"compression": "zstd", "use_dictionary": True}
    # Components of vectors neither repeat nor compress, and nobody looks for one by its size.
    vectors = [field.name for field in schema if pa.types.is_fixed_size_list(field.type)]
    others = [field.name for field in schema if field.name not in vectors]
    if vectors:
        plain = {f"{name}.list.item": "none" for name in vectors}
        options = {
            "compression": {**dict.fromkeys(others, "zstd"), **plain},
            "use_dictionary": others,
            "write_statistics": others,
        }
    # Lists keep the name of their items, which is part of the type and so of the content hash.
    return pq.ParquetWriter(path, schema, use_compliant_nested_type=False, write_page_checksum=True, **options)
