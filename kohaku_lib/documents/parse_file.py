"""Parse one file of any registered format."""

from __future__ import annotations

from pathlib import Path

from kohaku_lib.documents.formats.interface import format_of, format_suffixes
from kohaku_lib.documents.identifiers import safe_document_id
from kohaku_lib.errors import DocumentError
from kohaku_lib.settings import DocumentsSettings
from kohaku_lib.tables import DocumentPayload


def parse_file(
    path: Path, document_id: str | None = None, settings: DocumentsSettings | None = None
) -> DocumentPayload:
    """Parse a file of any registered format.

    The document id is `document_id`, else the id in the payload, else the file's stem made safe for node ids.

    Raises:
        DocumentError: The file is encrypted, damaged, empty or in an unknown format.
        NeedsOcrError: The file is an image or a PDF without text, and no OCR engine is available.

    """
    kind = format_of(path)
    if kind is None:
        allowed = ", ".join(format_suffixes())
        msg = f"{path.name!r} is not of a document format; its name must end in one of {allowed}"
        raise DocumentError(msg)
    stem = "" if kind.own_id else safe_document_id(path.stem)
    return kind.parse(path, document_id or stem, settings or DocumentsSettings())
