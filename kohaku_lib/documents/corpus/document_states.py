"""The parse state of every file and metadata row of a corpus, with the reason if it is not parsed."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from kohaku_lib.documents.corpus.near_copies import near_copies_of
from kohaku_lib.documents.corpus.registry import NO_FILE, READY
from kohaku_lib.documents.fetch.ledger import FetchEntry
from kohaku_lib.tables import DOCUMENTS

COLUMNS = ("document_id", "org_id", "path", "sha256", "status", "error", "pages", "metadata_json", "sketch")


@dataclass(frozen=True, slots=True)
class DocumentState:
    """The state of a file or a metadata row; `path` is "" without a file, `pages` and `language` None if unknown.

    `status` is the parse status "parsed", "needs_ocr" or "failed"; "pending" for a new or changed file; "left_out" for
    a file that is not indexed; "no_file" for a row without a file. `reason` explains it. A skipped entry (unknown
    format, link to a folder) has no `document_id`. `near_copy_of` is the id of a document with nearly the same text.
    """

    path: str
    document_id: str | None
    status: str
    pages: int | None
    language: str | None
    reason: str | None
    near_copy_of: str | None = None


def document_states(
    sources: pa.Table,
    documents: pa.Table | None,
    fetched: Mapping[str, FetchEntry] | None = None,
    skipped: Mapping[str, str] | None = None,
) -> list[DocumentState]:
    """Return the state of each row of `sources`, in order, then of the skipped files.

    Args:
        sources: The table of `list_sources`.
        documents: The latest output of parsing, if any; COLUMNS of it are read.
        fetched: The last fetch outcome by row id; it is the reason of a row without a file.
        skipped: The reasons by path of files that are not sources.

    >>> from kohaku_lib.tables import SOURCE_FILES
    >>> row = {"path": "a.txt", "document_id": "a", "sha256": "5a", "status": "ready", "metadata_json": "{}"}
    >>> document_states(pa.Table.from_pylist([row], schema=SOURCE_FILES), None)[0].status
    'pending'

    """
    table = documents if documents is not None else DOCUMENTS.empty_table()
    parsed = table.select([name for name in COLUMNS if name in table.column_names]).to_pylist()
    known = {(row["path"], row["document_id"], row["sha256"]): row for row in parsed}
    listed = sources.to_pylist()
    rows = [known.get((source["path"], source["document_id"], source["sha256"])) for source in listed]
    original_of = near_copies_of(row for row in rows if row is not None)
    states = [
        _state_of_source(source, row, original_of, fetched or {}) for source, row in zip(listed, rows, strict=True)
    ]
    others = (skipped or {}).items()
    return states + [DocumentState(path, None, "left_out", None, None, reason) for path, reason in others]


def count_states(states: Sequence[DocumentState]) -> dict[str, int]:
    """Return the number of documents per status, most frequent first."""
    counts: dict[str, int] = {}
    for state in states:
        counts[state.status] = counts.get(state.status, 0) + 1
    return dict(sorted(counts.items(), key=lambda item: -item[1]))


def _state_of_source(
    source: Mapping[str, Any],
    row: Mapping[str, Any] | None,
    original_of: Mapping[tuple[str, str], str],
    fetched: Mapping[str, FetchEntry],
) -> DocumentState:
    path, name = source["path"], source["document_id"]
    if source["status"] == NO_FILE:
        return DocumentState(path, name, "no_file", None, None, _fetch_reason(fetched.get(name)))
    if source["status"] != READY:
        return DocumentState(path, name, "left_out", None, None, source["status"])
    if row is None:
        return DocumentState(path, name, "pending", None, None, None)
    reason = row["error"] or (None if path else "there is no file; its citation is indexed")
    return DocumentState(
        path, name, row["status"], row["pages"], _stated_language(row), reason, original_of.get((row["org_id"], name))
    )


def _fetch_reason(entry: FetchEntry | None) -> str:
    if entry is None:
        return "no file of this id; 'kohaku fetch' gets those with a url"
    return (
        f"{entry.outcome} at {entry.at}: {entry.reason}"
        if entry.reason
        else f"{entry.outcome} at {entry.at}, then removed"
    )


def _stated_language(row: Mapping[str, Any]) -> str | None:
    language = json.loads(row["metadata_json"]).get("language")
    return language if isinstance(language, str) else None
