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

_TAG = "attached.v5"  # raised when the lists of the same files change
NOT_LISTED_YET = "what is attached is listed by the next refresh"


class AttachmentLists:
    """What is attached to files, stored in the JSON file at `path`, or in memory only if it is None.

    A list is kept as long as the file, and what formats there are, stay as they were. Workers read under the limits of
    `settings`; that a file needs more is kept as long as these stay as they were, too, unless `afresh`. With `known_only`
    no file is read: one that is new has an entry that says so.
    """

    def __init__(
        self,
        path: Path | None = None,
        settings: DocumentsSettings | None = None,
        *,
        afresh: bool = False,
        known_only: bool = False,
    ) -> None:
        self._memo = JsonMemo(path)
        self._settings = settings or DocumentsSettings()
        self._afresh, self._known_only = afresh, known_only

    def read(self, files: Mapping[Path, str], folder: Path | None = None) -> dict[Path, tuple[AttachedDocument, ...]]:
        """Return what is attached to each of `files`, given with their SHA-256; none to a file that is damaged.

        Files are known by their paths within `folder`, if there is one, which may be moved or copied as a whole.

        If a fault that may pass keeps a file from being read, its last list stands, with one more entry that names the
        fault, and it is read again next time. What other files have is forgotten.
        """
        key_of = {path: digest([_TAG, sha256, format_suffixes()]) for path, sha256 in files.items()}
        name_of = {path: (path.relative_to(folder) if folder else path).as_posix() for path in files}
        if not self._known_only:
            self._memo.keep_only(set(name_of.values()).__contains__)
        known = {path: self._memo.get(name_of[path]) or {"key": None, "attached": []} for path in files}
        unknown = {path: sha256 for path, sha256 in files.items() if not self._is_known(known[path], key_of[path])}
        if self._known_only:
            known |= {path: known[path] | {"fault": NOT_LISTED_YET} for path in unknown}
            unknown = {}
        for path, reply in zip(unknown, self._replies(unknown), strict=True):
            if "attached" in reply or _is_damaged(reply):
                known[path] = {"key": key_of[path], "attached": reply.get("attached", [])}
            elif reply.get("limit") or reply.get("lasting"):
                fault = f"what is attached cannot be listed: {reply['error']}"
                known[path] = known[path] | {"key": key_of[path], "fault": fault, "limits": self._limits}
            else:
                known[path] = known[path] | {"fault": f"what is attached cannot be listed now: {reply['error']}"}
                continue
            self._memo.set(name_of[path], known[path])
        return {path: tuple(_documents(known[path])) for path in files}

    def save(self) -> None:
        """Store the lists for the next run if the file is writable."""
        self._memo.save()

    @property
    def _limits(self) -> list[float]:
        return [self._settings.time_limit_s, self._settings.memory_limit_mb]

    def _is_known(self, kept: Mapping[str, Any], key: str) -> bool:
        is_within = "limits" not in kept or (kept["limits"] == self._limits and not self._afresh)
        return kept["key"] == key and is_within

    def _replies(self, files: Mapping[Path, str]) -> Iterator[Mapping[str, Any]]:
        tasks = [
            {**parse_task(path, self._settings), "sha256": sha256, "attached": True} for path, sha256 in files.items()
        ]
        return parse_isolated(tasks)


def has_attachments(path: Path | str) -> bool:
    """Return whether files of the format of `path` may have files within them.

    >>> [has_attachments(name) for name in ("offer.EML", "offer.pdf", "offer.csv")]
    [True, True, False]
    """
    kind = format_of(path)
    return kind is not None and kind.attachments is not None


def _documents(kept: Mapping[str, Any]) -> Iterator[AttachedDocument]:
    yield from map(AttachedDocument.from_json, kept["attached"])
    if "fault" in kept:
        yield not_listed(kept["fault"])


def _is_damaged(reply: Mapping[str, Any]) -> bool:
    """Return whether a file cannot be read for what it is, as its own document tells."""
    return bool(reply.get("lasting")) and not reply.get("spent")
