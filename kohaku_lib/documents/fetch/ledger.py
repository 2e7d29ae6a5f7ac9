"""The fetch ledger: one JSON line per outcome; the last line of a row is its current one."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from kohaku_lib.masking import masked, masked_url


@dataclass(frozen=True, slots=True)
class FetchOutcome:
    """The outcome of fetching one row; `reason` is None for "fetched" and "cached", `bytes` None unless "fetched"."""

    id: str
    outcome: Literal["fetched", "cached", "skipped", "failed"]
    reason: str | None
    url: str
    path: Path | None = None
    bytes: int | None = None
    sha256: str | None = None


@dataclass(frozen=True, slots=True)
class FetchEntry:
    """The last recorded outcome of a row; `url` has credentials masked, `at` is ISO 8601 in UTC."""

    outcome: str
    reason: str | None
    url: str
    sha256: str | None
    at: str


class FetchLedger:
    """The ledger in the file at `path`; a truncated last line of a killed process is ignored."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.entries: dict[str, FetchEntry] = {}
        self._fetched: dict[str, FetchEntry] = {}
        for line in _read_lines(path):
            self._apply(line)

    def fetched(self, name: str) -> FetchEntry | None:
        """Return the last successful fetch of a row, None if there is none; later failures do not replace it."""
        return self._fetched.get(name)

    def add(self, outcome: FetchOutcome, now: float) -> None:
        """Append an outcome at the time `now` (seconds since the epoch) unless it repeats the last one."""
        known = self.entries.get(outcome.id)
        if outcome.outcome == "cached" or (known is not None and _is_same(known, outcome)):
            return
        line = {
            "id": outcome.id,
            "outcome": outcome.outcome,
            "reason": None if outcome.reason is None else masked(outcome.reason),
            "url": masked_url(outcome.url),
            "sha256": outcome.sha256,
            "at": datetime.fromtimestamp(now, UTC).isoformat(timespec="seconds"),
        }
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("a+b") as file:
            file.write(_missing_line_break(file) + json.dumps(line, ensure_ascii=False).encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())
        self._apply(line)

    def _apply(self, line: dict[str, Any]) -> None:
        name = line["id"]
        self.entries[name] = FetchEntry(line["outcome"], line["reason"], line["url"], line["sha256"], line["at"])
        if line["outcome"] == "fetched":
            self._fetched[name] = self.entries[name]


def _is_same(known: FetchEntry, outcome: FetchOutcome) -> bool:
    before = known.outcome, known.reason, known.url, known.sha256
    now = outcome.outcome, outcome.reason and masked(outcome.reason), masked_url(outcome.url), outcome.sha256
    return outcome.outcome != "fetched" and before == now


def _read_lines(path: Path) -> list[dict[str, Any]]:
    try:
        lines = path.read_bytes().splitlines()
    except OSError:
        return []
    return [value for value in map(_parse_line, lines) if value is not None]


def _parse_line(line: bytes) -> dict[str, Any] | None:
    try:
        value = json.loads(line)
    except ValueError:
        return None
    names = {"id", "outcome", "reason", "url", "sha256", "at"}
    return value if isinstance(value, dict) and names <= value.keys() else None


def _missing_line_break(file: Any) -> bytes:
    """Return the line break needed after a truncated last line, else b""."""
    end = file.seek(0, os.SEEK_END)
    if not end:
        return b""
    file.seek(end - 1)
    return b"" if file.read(1) == b"\n" else b"\n"
