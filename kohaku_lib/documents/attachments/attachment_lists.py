"""Cache of what is attached to files, keyed by content."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from kohaku_lib.documents.attachments.attached_files import AttachedDocument
from kohaku_lib.documents.formats.interface import format_of
from kohaku_lib.documents.worker.supervisor import parse_isolated, parse_task
from kohaku_lib.settings import DocumentsSettings
from kohaku_lib.storage import JsonMemo


class AttachmentLists:
    """What is attached to files by their SHA-256, stored in the JSON file at `path`, or in memory only if it is None."""

    def __init__(self, path: Path | None = None) -> None:
        self._memo = JsonMemo(path)

    def read(self, files: Mapping[str, Path]) -> dict[str, tuple[AttachedDocument, ...]]:
        """Return what is attached to each of `files`, by their SHA-256; none to a file that cannot be read.

        What is not known yet is read by worker processes with the parser's limits. A file that may be readable later is
        read again then.
        """
        unknown = [(files[sha256], sha256) for sha256 in files if self._memo.get(sha256) is None]
        for (_, sha256), reply in zip(unknown, _replies(unknown), strict=True):
            if "attached" in reply or reply.get("lasting"):
                self._memo.set(sha256, reply.get("attached", []))
        return {one: tuple(map(AttachedDocument.from_json, self._memo.get(one) or [])) for one in files}

    def save(self) -> None:
        """Store the lists for the next run if the file is writable."""
        self._memo.save()


def has_attachments(path: Path | str) -> bool:
    """Return whether files of the format of `path` may have files within them.

    >>> has_attachments("offer.EML"), has_attachments("offer.pdf")
    (True, False)
    """
    kind = format_of(path)
    return kind is not None and kind.attachments is not None


def _replies(files: Sequence[tuple[Path, str]]) -> list[Mapping[str, object]]:
    settings = DocumentsSettings()
    tasks = [{**parse_task(path, settings), "sha256": sha256, "attached": True} for path, sha256 in files]
    return list(parse_isolated(tasks))
