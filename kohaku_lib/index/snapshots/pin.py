"""The pin of an index version: while it is set, no other version is published by itself."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from kohaku_lib.index.snapshots.snapshot_files import PIN
from kohaku_lib.storage import read_sealed, write_sealed


@dataclass(frozen=True, slots=True)
class Pin:
    """A pin, and since when; None if its file is damaged, which does not lift it."""

    since: str | None  # ISO 8601, UTC


def pin(folder: Path) -> None:
    """Keep the current version published until `unpin`.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     pin(Path(folder))
    ...     print(pinned(Path(folder)) is None)
    ...     unpin(Path(folder))
    ...     print(pinned(Path(folder)))
    False
    None
    """
    write_sealed(folder / PIN, {"since": datetime.now(UTC).isoformat(timespec="seconds")}, durable=True)


def pinned(folder: Path) -> Pin | None:
    """Return the pin of the current version; None if it is not pinned."""
    path = folder / PIN
    if not path.exists():
        return None
    return Pin((read_sealed(path) or {}).get("since"))


def unpin(folder: Path) -> None:
    """Let the next version be published again; without a pin this has no effect."""
    (folder / PIN).unlink(missing_ok=True)
