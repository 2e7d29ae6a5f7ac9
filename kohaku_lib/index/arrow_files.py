"""Arrow tables as files that are memory-mapped: opening reads nothing, and all processes share the pages."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pyarrow as pa


def write_table(path: Path, table: pa.Table) -> None:
    """Write `table` uncompressed, in one batch where its columns allow it."""
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table.combine_chunks())


def write_batches(path: Path, schema: pa.Schema, batches: Iterable[pa.Table]) -> None:
    """Write the rows of `batches` uncompressed, one after the other."""
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, schema) as writer:
        for table in batches:
            writer.write_table(table.combine_chunks())


def map_table(path: Path) -> pa.Table:
    """Return the table of a file by `write_table`, memory-mapped; raises OSError or ArrowInvalid where it is damaged."""
    return pa.ipc.open_file(pa.memory_map(str(path))).read_all()
