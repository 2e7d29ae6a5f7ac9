"""An OpenDocument presentation."""

from __future__ import annotations

from pathlib import Path

from kohaku_lib.documents.formats.interface import FORMATS, FormatKind
from kohaku_lib.settings import DocumentsSettings
from kohaku_lib.tables import DocumentPayload


def parse(path: Path, document_id: str, settings: DocumentsSettings) -> DocumentPayload:
    """Parse an OpenDocument presentation; raises DocumentError where it cannot."""
    from kohaku_lib.documents.formats.office.odf.presentation import parse_odp

    return parse_odp(path, document_id, settings)


FORMATS.register(
    FormatKind(
        "odp",
        {".odp": "application/vnd.oasis.opendocument.presentation"},
        parse,
        modules=("kohaku_lib.documents.formats.office.odf.presentation", "lxml.html"),
        order=18,
    )
)
