"""Cache of what is attached to files, by their paths."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from kohaku_lib.digests import digest
from kohaku_lib.documents.attachments.attached_files import AttachedDocument, not_listed
from kohaku_lib.documents.formats.interface import format_of, format_suffixes
from kohaku_lib.documents.worker.supervisor import parse_isolated, parse_task
from kohaku_lib.settings import DocumentsSettings
from kohaku_lib.storage import JsonMemo

_TAG = "attached.v2"  # raised when the lists of the same files change


class AttachmentLists:
    """What is attached to files, stored in the JSON file at `path`, or in memory only if it is None.

    A list is kept as long as the file, and what formats there are, stay as they were. Workers read under the limits of
    `settings`.
    """

    def __init__(self, path: Path | None = None, settings: DocumentsSettings | None = None) -> None:
        self._memo = JsonMemo(path)
        self._settings = settings or DocumentsSettings()

    def read(self, files: Mapping[Path, str]) -> dict[Path, tuple[AttachedDocument, ...]]:
        """Return what is attached to each of `files`, given with their SHA-256; none to a file that is damaged.

        If a fault that may pass keeps a file from being read, its last list stands, with one more entry that names the
        fault, and it is read again next time. What other files have is forgotten.
        """
        key_of = {path: digest([_TAG, sha256, format_suffixes()]) for path, sha256 in files.items()}
        self._memo.keep_only({str(path) for path in files}.__contains__)
        known = {path: self._memo.get(str(path)) or {"key": None, "attached": []} for path in files}
        unknown = {path: sha256 for path, sha256 in files.items() if known[path]["key"] != key_of[path]}
        lists = {path: _documents(known[path]) for path in files}
        for path, reply in zip(unknown, self._replies(unknown), strict=True):
            fault = _passing_fault(reply)
            if fault is None:
                self._memo.set(str(path), {"key": key_of[path], "attached": reply.get("attached", [])})
                lists[path] = _documents(self._memo.get(str(path)))
            else:
                lists[path] = (*lists[path], not_listed(f"what is attached cannot be listed now: {fault}"))
        return lists

    def save(self) -> None:
        """Store the lists for the next run if the file is writable."""
        self._memo.save()

    def _replies(self, files: Mapping[Path, str]) -> Iterator[Mapping[str, Any]]:
        tasks = [
            {**parse_task(path, self._settings), "sha256": sha256, "attached": True} for path, sha256 in files.items()
        ]
        return parse_isolated(tasks)


def has_attachments(path: Path | str) -> bool:
    """Return whether files of the format of `path` may have files within them.

    >>> has_attachments("offer.EML"), has_attachments("offer.pdf")
    (True, False)
    """
    kind = format_of(path)
    return kind is not None and kind.attachments is not None


def _documents(kept: Mapping[str, Any]) -> tuple[AttachedDocument, ...]:
    return tuple(map(AttachedDocument.from_json, kept["attached"]))


def _passing_fault(reply: Mapping[str, Any]) -> str | None:
    """Return why a file could not be read now; None where it was, or where it is damaged, as its own document tells."""
    is_damaged = reply.get("lasting") and not reply.get("spent")
    return None if "attached" in reply or is_damaged else reply["error"]
