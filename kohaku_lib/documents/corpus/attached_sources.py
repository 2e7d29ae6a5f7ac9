"""The rows of what is attached to the source files: documents of their own, behind the file that they are in."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from kohaku_lib.documents.attachments.attached_files import AttachedDocument
from kohaku_lib.documents.attachments.attachment_lists import AttachmentLists, has_attachments
from kohaku_lib.documents.corpus.organisations import COLUMN as ORG_COLUMN
from kohaku_lib.documents.corpus.organisations import organisation_of
from kohaku_lib.documents.identifiers import safe_document_id
from kohaku_lib.settings import CorpusSettings

Row = Mapping[str, Any]  # of SOURCE_FILES


def with_attached(
    rows: Sequence[Row], ready: str, corpus: CorpusSettings, lists: AttachmentLists, left_out: Collection[str]
) -> Iterator[Row]:
    """Yield `rows` of files, behind each those of what is attached to it, with paths and ids below its own.

    Of equal bytes in an organisation a file of the folder is indexed, else the first attachment. The metadata of what is
    attached names the document that it is attached to (`parent_id`). Paths that are `left_out` have no rows.

    Args:
        rows: The rows of files.
        ready: The status of a row that is indexed.
        corpus: The corpus settings.
        lists: What is attached to files, as far as that is known.
        left_out: The paths of what is not to be read.

    """
    mails = {row["sha256"]: row for row in rows if row["status"] == ready and has_attachments(row["path"])}
    folder = corpus.documents
    attached = lists.read({sha256: folder / row["path"] for sha256, row in mails.items()}) if folder and mails else {}
    known = _Known(ready, rows, corpus, left_out)
    for row in rows:
        yield row
        if row["status"] == ready and has_attachments(row["path"]):
            yield from known.rows_of(attached[row["sha256"]], row)


class _Known:
    """The ids that are taken, and the path of the content that is indexed."""

    def __init__(self, ready: str, rows: Sequence[Row], corpus: CorpusSettings, left_out: Collection[str]) -> None:
        self._ready, self._corpus, self._left_out = ready, corpus, left_out
        indexed = [row for row in rows if row["status"] == ready]
        self._path_of_id = {row["document_id"]: row["path"] for row in indexed}
        self._path_of_content = {(self._org_of(row), row["sha256"]): row["path"] for row in indexed}

    def rows_of(self, attached: Sequence[AttachedDocument], parent: Row) -> Iterator[Row]:
        for one in attached:
            path = f"{parent['path']}/{one.name}"
            if path in self._left_out:
                continue
            row = self._row(path, one, parent)
            yield row
            if row["status"] == self._ready:
                yield from self.rows_of(one.attached, row)

    def _row(self, path: str, one: AttachedDocument, parent: Row) -> Row:
        org_id = self._org_of(parent)
        own = json.loads(parent["metadata_json"]).get(ORG_COLUMN)
        named = {ORG_COLUMN: org_id} if own or self._corpus.org_folders else {}  # the path alone does not tell it
        facts = {**named, "parent_id": parent["document_id"], **one.facts}
        below = f"{parent['document_id']}/{safe_document_id(one.name)}"
        document_id = safe_document_id(path) if below in self._path_of_id else below  # a file of a folder has that name
        status = one.fault or self._ready
        if status == self._ready:
            original = self._path_of_content.setdefault((org_id, one.sha256), path) if one.size_bytes else path
            if original != path:
                status = f"duplicate of {original!r}, whose bytes are the same"
            elif self._path_of_id.setdefault(document_id, path) != path:
                status = f"the document id {document_id!r} is already that of {self._path_of_id[document_id]!r}"
        return {
            "path": path,
            "document_id": document_id,
            "sha256": one.sha256,
            "size_bytes": one.size_bytes,
            "status": status,
            "metadata_json": json.dumps(facts, ensure_ascii=False),
        }

    def _org_of(self, row: Row) -> str:
        return organisation_of(row["path"], json.loads(row["metadata_json"]), self._corpus)
