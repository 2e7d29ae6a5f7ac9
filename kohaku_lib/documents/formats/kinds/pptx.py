"""A PowerPoint presentation."""

from __future__ import annotations

from pathlib import Path

from kohaku_lib.documents.formats.interface import FORMATS, Attachments, FormatKind
from kohaku_lib.settings import DocumentsSettings
from kohaku_lib.tables import DocumentPayload


def parse(path: Path, document_id: str, settings: DocumentsSettings) -> DocumentPayload:
    """Parse a PowerPoint presentation; raises DocumentError where it cannot."""
    from kohaku_lib.documents.formats.office.pptx_document import parse_pptx
    from kohaku_lib.documents.formats.office.repaired_file import parse_or_repair

    return parse_or_repair(parse_pptx, path, document_id, settings)


def attachments(path: Path) -> Attachments:
    """Return the files embedded in the file; raises DocumentError where it cannot be opened."""
    from kohaku_lib.documents.formats.office.embedded import files_within_office

    return files_within_office(path)


FORMATS.register(
    FormatKind(
        "pptx",
        {".pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation"},
        parse,
        modules=("kohaku_lib.documents.formats.office.pptx_document", "pptx"),
        attachments=attachments,
        order=9,
    )
)
