"""A PowerPoint presentation."""

from __future__ import annotations

from pathlib import Path

from kohaku_lib.documents.formats.interface import FORMATS, FormatKind
from kohaku_lib.settings import DocumentsSettings
from kohaku_lib.tables import DocumentPayload


def parse(path: Path, document_id: str, settings: DocumentsSettings) -> DocumentPayload:
    """Parse a PowerPoint presentation; raises DocumentError where it cannot."""
    from kohaku_lib.documents.formats.office.pptx_document import parse_pptx
    from kohaku_lib.documents.formats.office.repaired_file import parse_or_repair

    return parse_or_repair(parse_pptx, path, document_id, settings)


FORMATS.register(
    FormatKind(
        "pptx",
        {".pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation"},
        parse,
        modules=("kohaku_lib.documents.formats.office.pptx_document", "pptx"),
        order=9,
    )
)
