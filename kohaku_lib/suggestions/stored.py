"""The suggested questions of an index version, in a file beside what is sealed of it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from kohaku_lib.index import Snapshot
from kohaku_lib.index.snapshots.arrow_files import map_table, write_table
from kohaku_lib.index.snapshots.snapshot_files import SUGGESTED_FILE
from kohaku_lib.storage import write_atomically


def store_suggestions(folder: Path, version: str, table: pa.Table) -> None:
    """Write `table` (SUGGESTED_QUESTIONS) into the snapshot `folder/version`."""

    def write(path: Path) -> None:
        write_table(path, table)

    write_atomically(folder / version / SUGGESTED_FILE, write)


def stored_suggestions(snapshot: Snapshot, org_id: str, document_id: str | None = None) -> Sequence[str] | None:
    """Return the suggested questions of an organisation, or of one of its documents, best first; None where none were tried."""
    try:
        table = map_table(snapshot.folder / SUGGESTED_FILE)
    except (
        OSError,
        pa.ArrowInvalid,
    ):  # an index that was published just now or is from before they were kept, or a damaged file
        return None
    is_wanted = pc.field("org_id") == org_id
    if document_id is not None:
        is_wanted &= pc.field("document_id") == document_id
    return table.filter(is_wanted).column("question").to_pylist()
