"""What is known of each batch, on disk before anything of it is used."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

from kohaku_lib.errors import StoreError
from kohaku_lib.storage import write_atomically

OVER = frozenset({"completed", "failed", "expired", "cancelled"})  # states of the server's

State = Literal["prepared", "submitted", "collected", "closed"]


@dataclass(frozen=True, slots=True)
class BatchRecord:
    """One batch: `prepared` before it is sent, `submitted` with its id, `collected` once read, then `closed`.

    `calls` are the ledger's columns of each call by its key, none any more once they are collected; `failures` say,
    by key, why a call brought no reply. Calls that failed in a closed batch may be asked as if for the first time.
    """

    name: str
    token: str  # equal for the same calls in the same attempt, so that the server can be asked for it
    calls_digest: str
    server: str
    model: str
    requests: int
    made_at: str
    most_usd: float | None = None  # that its calls may cost; None where the price is unknown
    state: State = "prepared"
    batch_id: str | None = None
    status: str | None = None  # the server's last word
    done: int | None = None
    failed: int | None = None
    replies: int | None = None
    cost_usd: float | None = None  # None where the price is unknown
    problem: str | None = None
    calls: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    failures: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    left_out: tuple[str, ...] = ()  # parameters that the server refuses of this model

    @property
    def is_open(self) -> bool:
        """Return whether replies may still come of it."""
        return self.state in ("prepared", "submitted")

    @property
    def is_over(self) -> bool:
        """Return whether the server is done with the batch, so that it can be taken in."""
        return self.status in OVER


class BatchRecords:
    """The records in `folder`, a file each; a writer holds the store's lock.

    >>> BatchRecords(Path("no such folder")).all()
    []
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def all(self) -> list[BatchRecord]:
        """Return every record, the oldest first; raises StoreError where one cannot be read."""
        return [_read(path) for path in sorted(self.folder.glob("*.json"))]

    def save(self, record: BatchRecord) -> BatchRecord:
        """Write a record, durable on return, and return it."""
        text = json.dumps(asdict(record), ensure_ascii=False)
        write_atomically(self.folder / f"{record.name}.json", lambda path: path.write_text(text, encoding="utf-8"))
        return record

    def drop(self, record: BatchRecord) -> None:
        """Forget a batch that was never made."""
        (self.folder / f"{record.name}.json").unlink(missing_ok=True)


def _read(path: Path) -> BatchRecord:
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
        return BatchRecord(**record | {"left_out": tuple(record["left_out"])})
    except (OSError, ValueError, TypeError, KeyError) as error:
        msg = f"the record of a batch in {str(path)!r} cannot be read ({error}); mend it, or take it out of the folder"
        raise StoreError(msg) from error
