"""An XML file."""

from __future__ import annotations

from pathlib import Path

from kohaku_lib.documents.formats.interface import FORMATS, FormatKind
from kohaku_lib.settings import DocumentsSettings
from kohaku_lib.tables import DocumentPayload


def parse(path: Path, document_id: str, settings: DocumentsSettings) -> DocumentPayload:
    """Parse an XML file; raises DocumentError where it cannot."""
    from kohaku_lib.documents.formats.text.xml_document import parse_xml_file

    return parse_xml_file(path, document_id, settings)


FORMATS.register(
    FormatKind(
        "xml",
        {".xml": "application/xml"},
        parse,
        modules=("kohaku_lib.documents.formats.text.xml_document",),
        order=14,
    )
)
