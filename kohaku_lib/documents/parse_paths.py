"""Parse files outside a corpus, and the files within them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kohaku_lib.digests import file_sha256
from kohaku_lib.documents.attachments.attached_files import AttachedDocument
from kohaku_lib.documents.attachments.attachment_lists import AttachmentLists, has_attachments
from kohaku_lib.documents.identifiers import attached_document_id, safe_document_id
from kohaku_lib.documents.parse_documents import raise_fatal
from kohaku_lib.documents.worker.supervisor import parse_isolated, parse_task
from kohaku_lib.settings import DocumentsSettings


def parse_paths(paths: Sequence[Path], settings: DocumentsSettings, workers: int = 0) -> Iterator[ParseOutcome]:
    """Yield the outcome of every file in the order of `paths`; a failing file does not stop the others."""
    listed = _attached([path for path in paths if has_attachments(path) and path.is_file()], settings)
    found = [_Found(path, None, None, listed.get(path, ())) for path in paths]
    replies = parse_isolated([task for one in found for task in one.tasks(settings)], workers)
    for one in found:
        yield one.outcome(replies)
    next(replies, None)  # lets the generator end its processes


def attached_paths(path: Path, settings: DocumentsSettings) -> Iterator[tuple[Path, str | None]]:
    """Yield the path of what is attached to the file at `path`, each with the reason where it is no document."""
    listed = _attached([path], settings) if has_attachments(path) else {}
    waiting = [(path / one.name, one) for one in listed.get(path, ())]
    while waiting:
        found, one = waiting.pop(0)
        yield found, one.fault
        waiting = [(found / inner.name, inner) for inner in one.attached] + waiting


@dataclass(frozen=True, slots=True)
class ParseOutcome:
    """The payload of one file as JSON, or an error message; `status` as in the documents table.

    `children` are the outcomes of the files within it, their paths below its path, the ids of payloads below its id.
    """

    path: Path
    payload: dict[str, Any] | None
    error: str | None
    status: str
    children: tuple[ParseOutcome, ...] = ()


@dataclass(frozen=True, slots=True)
class _Found:
    """A file to parse; of one within another the id, and what it is there."""

    path: Path
    document_id: str | None
    own: AttachedDocument | None
    attached: Sequence[AttachedDocument]
    parent_id: str | None = None

    @property
    def within(self) -> Iterator[_Found]:
        parent_id = self.document_id or safe_document_id(self.path.stem)
        for one in self.attached:
            document_id = attached_document_id(self.document_id or safe_document_id(self.path.name), one.name)
            yield _Found(self.path / one.name, document_id, one, one.attached, parent_id)

    def tasks(self, settings: DocumentsSettings) -> Iterator[dict[str, Any]]:
        if self.own is None or self.own.fault is None:
            yield parse_task(self.path, settings) | ({"document_id": self.document_id} if self.document_id else {})
        for one in self.within:
            yield from one.tasks(settings)

    def outcome(self, replies: Iterator[Mapping[str, Any]]) -> ParseOutcome:
        fault = self.own.fault if self.own is not None else None
        reply: Mapping[str, Any] = {"status": "failed", "error": fault} if fault else next(replies)
        raise_fatal(reply)
        payload = reply.get("payload")
        if payload and self.own is not None:
            facts = {"parent_id": self.parent_id, **self.own.facts}
            payload = {**payload, "metadata": {**payload["metadata"], **facts}}
        children = tuple(one.outcome(replies) for one in self.within)
        return ParseOutcome(self.path, payload, reply.get("error"), "parsed" if payload else reply["status"], children)


def _attached(paths: Sequence[Path], settings: DocumentsSettings) -> dict[Path, tuple[AttachedDocument, ...]]:
    """Return what is attached to each file; none to one that cannot be read, as its own outcome tells."""
    sha256_of: dict[Path, str] = {}
    for path in paths:
        with suppress(OSError):
            sha256_of[path] = file_sha256(path)
    return AttachmentLists(settings=settings).read(sha256_of)
