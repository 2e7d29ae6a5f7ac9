"""Size and time of change of a document's file."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from kohaku_lib.documents.attachments.file_within import holder_of


class FileFacts(NamedTuple):
    """What the file system says of a file; None where it is gone. `modified_at` is ISO 8601, UTC."""

    size_bytes: int | None = None
    modified_at: str | None = None


def file_facts(path: Path | None) -> FileFacts:
    """Return the facts of a file, or of the one that it is within.

    >>> file_facts(Path("gone.pdf")).modified_at is None
    True
    """
    try:
        found = holder_of(path).stat() if path is not None else None
    except OSError:
        found = None
    if found is None:
        return FileFacts()
    return FileFacts(found.st_size, datetime.fromtimestamp(found.st_mtime, UTC).isoformat(timespec="seconds"))
