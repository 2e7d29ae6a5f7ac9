"""What is known of every file and row of a corpus: parsed or not, and why not."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from kohaku_lib.documents.corpus.registry import NO_FILE, READY
from kohaku_lib.documents.fetch.ledger import FetchEntry
from kohaku_lib.tables import DOCUMENTS

_COLUMNS = ("document_id", "path", "sha256", "status", "error", "pages", "metadata_json")


@dataclass(frozen=True, slots=True)
class DocumentState:
    """A file or a row of metadata; `path` is "" without a file, `pages` and `language` None where not known.

    `status` is "parsed", "needs_ocr" or "failed" as parsing left it, "pending" where the file is new or has changed
    since, "left_out" for a file that is not indexed and "no_file" for a row without one; `reason` says why. What is
    passed over, a file in no known format or a link to a folder, has no `document_id`.
    """

    path: str
    document_id: str | None
    status: str
    pages: int | None
    language: str | None
    reason: str | None


def document_states(
    sources: pa.Table,
    documents: pa.Table | None,
    fetched: Mapping[str, FetchEntry] | None = None,
    passed_over: Mapping[str, str] | None = None,
) -> list[DocumentState]:
    """Return a state per row of `sources`, in order; `documents` is the last output of parsing, if any.

    A row without a file gives the last outcome of fetching it, by its id, as reason. What was `passed_over`, by path
    with the reasons, comes last.

    >>> from kohaku_lib.tables import SOURCE_FILES
    >>> row = {"path": "a.txt", "document_id": "a", "sha256": "5a", "status": "ready", "metadata_json": "{}"}
    >>> document_states(pa.Table.from_pylist([row], schema=SOURCE_FILES), None)[0].status
    'pending'
    """
    parsed = (documents if documents is not None else DOCUMENTS.empty_table()).select(_COLUMNS).to_pylist()
    known = {(row["path"], row["document_id"], row["sha256"]): row for row in parsed}
    states = [_state(source, known, fetched or {}) for source in sources.to_pylist()]
    others = (passed_over or {}).items()
    return states + [DocumentState(path, None, "left_out", None, None, reason) for path, reason in others]


def count_states(states: Sequence[DocumentState]) -> dict[str, int]:
    """Return how many documents are in which state, the most frequent first."""
    counts: dict[str, int] = {}
    for state in states:
        counts[state.status] = counts.get(state.status, 0) + 1
    return dict(sorted(counts.items(), key=lambda item: -item[1]))


def _state(
    source: Mapping[str, Any],
    known: Mapping[tuple[str, str, str | None], Mapping[str, Any]],
    fetched: Mapping[str, FetchEntry],
) -> DocumentState:
    path, name = source["path"], source["document_id"]
    if source["status"] == NO_FILE:
        return DocumentState(path, name, "no_file", None, None, _fetch_reason(fetched.get(name)))
    if source["status"] != READY:
        return DocumentState(path, name, "left_out", None, None, source["status"])
    row = known.get((path, name, source["sha256"]))
    if row is None:
        return DocumentState(path, name, "pending", None, None, None)
    reason = row["error"] or (None if path else "there is no file; its citation is indexed")
    return DocumentState(path, name, row["status"], row["pages"], _language(row), reason)


def _fetch_reason(entry: FetchEntry | None) -> str:
    if entry is None:
        return "no file of this id; 'kohaku fetch' gets those with a url"
    return (
        f"{entry.outcome} at {entry.at}: {entry.reason}"
        if entry.reason
        else f"{entry.outcome} at {entry.at}, then removed"
    )


def _language(row: Mapping[str, Any]) -> str | None:
    language = json.loads(row["metadata_json"]).get("language")
    return language if isinstance(language, str) else None
