"""Durable records of batches."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

from kohaku_lib.errors import StoreError
from kohaku_lib.storage import write_atomically

OVER = frozenset({"completed", "failed", "expired", "cancelled"})  # the server's final states

State = Literal["prepared", "submitted", "collected", "closed"]


@dataclass(frozen=True, slots=True)
class BatchRecord:
    """One batch: `prepared` before submission, `submitted` with its id, `collected` once read, then `closed`.

    `calls` are the ledger columns of each call by key, empty once collected; `failures` are the reasons of calls without a
    reply, by key. Calls that failed in a closed batch are retried from scratch.
    """

    name: str
    token: str  # equal for the same calls in the same attempt, to look up the batch on the server
    calls_digest: str
    server: str
    model: str
    requests: int
    made_at: str
    most_usd: float | None = None  # maximum cost of its calls; None if the price is unknown
    state: State = "prepared"
    batch_id: str | None = None
    status: str | None = None  # the last one reported by the server
    done: int | None = None
    failed: int | None = None
    replies: int | None = None
    cost_usd: float | None = None  # None if the price is unknown
    problem: str | None = None
    calls: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    failures: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    left_out: tuple[str, ...] = ()  # parameters that this model does not support

    @property
    def is_open(self) -> bool:
        """Whether replies are pending."""
        return self.state in ("prepared", "submitted")

    @property
    def is_over(self) -> bool:
        """Whether the server has finished the batch, so that it can be collected."""
        return self.status in OVER


class BatchRecords:
    """The records in `folder`, one file each; writers must hold the store's lock.

    >>> BatchRecords(Path("no such folder")).all()
    []
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def all(self) -> list[BatchRecord]:
        """Return all records, oldest first.

        Raises:
            StoreError: A record cannot be read.
        """
        return [_read_record(path) for path in sorted(self.folder.glob("*.json"))]

    def save(self, record: BatchRecord) -> BatchRecord:
        """Write a record, durable on return, and return it."""
        text = json.dumps(asdict(record), ensure_ascii=False)
        write_atomically(self.folder / f"{record.name}.json", lambda path: path.write_text(text, encoding="utf-8"))
        return record

    def drop(self, record: BatchRecord) -> None:
        """Delete the record of a batch that was never created."""
        (self.folder / f"{record.name}.json").unlink(missing_ok=True)


def _read_record(path: Path) -> BatchRecord:
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
        return BatchRecord(**record | {"left_out": tuple(record["left_out"])})
    except (OSError, ValueError, TypeError, KeyError) as error:
        msg = (
            f"the record of a batch in {str(path)!r} cannot be read ({error}); repair it, or remove it from the folder"
        )
        raise StoreError(msg) from error
