"""An OpenDocument text."""

from __future__ import annotations

from pathlib import Path

from kohaku_lib.documents.formats.interface import FORMATS, FormatKind
from kohaku_lib.settings import DocumentsSettings
from kohaku_lib.tables import DocumentPayload


def parse(path: Path, document_id: str, settings: DocumentsSettings) -> DocumentPayload:
    """Parse an OpenDocument text; raises DocumentError where it cannot."""
    from kohaku_lib.documents.formats.office.odf.text_document import parse_odt

    return parse_odt(path, document_id, settings)


FORMATS.register(
    FormatKind(
        "odt",
        {".odt": "application/vnd.oasis.opendocument.text"},
        parse,
        modules=("kohaku_lib.documents.formats.office.odf.text_document", "lxml.html"),
        order=16,
    )
)
