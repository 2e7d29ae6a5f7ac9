"""The rows of what is attached to the source files: documents of their own, behind the file that they are in."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from kohaku_lib.documents.attachments.attached_files import AttachedDocument
from kohaku_lib.documents.attachments.attachment_lists import AttachmentLists, has_attachments
from kohaku_lib.documents.corpus.organisations import COLUMN as ORG_COLUMN
from kohaku_lib.documents.corpus.organisations import organisation_of
from kohaku_lib.documents.identifiers import attached_document_id, safe_document_id
from kohaku_lib.settings import CorpusSettings

Row = Mapping[str, Any]  # of SOURCE_FILES


def with_attached(
    rows: Sequence[Row],
    ready: str,
    corpus: CorpusSettings,
    lists: AttachmentLists,
    left_out: Mapping[str, str | None],
) -> Iterator[Row]:
    """Yield `rows` of files, behind each those of what is attached to it, with paths and ids below its own.

    Of equal bytes in an organisation a file of the folder is indexed, else the first attachment. The metadata of what is
    attached names the document that it is attached to (`parent_id`). What is left out has no rows, and is not indexed
    where another file has it attached.

    Args:
        rows: The rows of files.
        ready: The status of a row that is indexed.
        corpus: The corpus settings.
        lists: What is attached to files, as far as that is known.
        left_out: The SHA-256 by path of what is left out, None where it is attached to a file.

    """
    folder = corpus.documents or Path()
    holders = {row["path"]: row for row in rows if row["status"] == ready and has_attachments(row["path"])}
    attached = lists.read({folder / path: row["sha256"] for path, row in holders.items()}, folder)
    known = _Known(ready, rows, corpus, left_out)
    for path, row in holders.items():
        known.leave_out(path, attached[folder / path], known.org_of(row))
    for row in rows:
        yield row
        if row["path"] in holders:
            yield from known.rows_of(attached[folder / row["path"]], row, safe_document_id(row["path"]))


class _Known:
    """The path of each content that is indexed, or left out."""

    def __init__(
        self, ready: str, rows: Sequence[Row], corpus: CorpusSettings, left_out: Mapping[str, str | None]
    ) -> None:
        self._ready, self._corpus, self._left_out = ready, corpus, left_out
        indexed = [row for row in rows if row["status"] == ready]
        self._path_of_content = {(self.org_of(row), row["sha256"]): row["path"] for row in indexed}
        files = ((organisation_of(path, {}, corpus), sha256, path) for path, sha256 in left_out.items() if sha256)
        self._path_of_left_out: dict[tuple[str, str | None], str] = {(org, sha256): path for org, sha256, path in files}

    def leave_out(self, path: str, attached: Sequence[AttachedDocument], org_id: str) -> None:
        """Note the contents of what is left out of the files within the one at `path`."""
        for one in attached:
            own = f"{path}/{one.name}"
            if own in self._left_out and one.size_bytes:
                self._path_of_left_out[org_id, one.sha256] = own
            self.leave_out(own, one.attached, org_id)

    def rows_of(self, attached: Sequence[AttachedDocument], parent: Row, holder: str) -> Iterator[Row]:
        for one in attached:
            path = f"{parent['path']}/{one.name}"
            if path in self._left_out:
                continue
            row = self._row(path, one, parent) | {"document_id": attached_document_id(holder, one.name)}
            yield row
            if row["status"] == self._ready:
                yield from self.rows_of(one.attached, row, row["document_id"])

    def _row(self, path: str, one: AttachedDocument, parent: Row) -> dict[str, Any]:
        org_id = self.org_of(parent)
        own = json.loads(parent["metadata_json"]).get(ORG_COLUMN)
        named = {ORG_COLUMN: org_id} if own or self._corpus.org_folders else {}  # the path alone does not tell it
        facts = {**named, "parent_id": parent["document_id"], **one.facts}
        return {
            "path": path,
            "sha256": one.sha256,
            "size_bytes": one.size_bytes,
            "status": one.fault or self._fault_of(path, (org_id, one.sha256), one) or self._ready,
            "metadata_json": json.dumps(facts, ensure_ascii=False),
        }

    def _fault_of(self, path: str, content: tuple[str, str | None], one: AttachedDocument) -> str | None:
        """Return why one that could be read is not indexed."""
        if not one.size_bytes:
            return None
        if content not in self._path_of_content and content in self._path_of_left_out:
            return f"same content as {self._path_of_left_out[content]!r}, which is left out"
        original = self._path_of_content.setdefault(content, path)
        return None if original == path else f"same content as {original!r}"

    def org_of(self, row: Row) -> str:
        return organisation_of(row["path"], json.loads(row["metadata_json"]), self._corpus)
