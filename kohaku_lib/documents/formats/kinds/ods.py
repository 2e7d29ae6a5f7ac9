"""An OpenDocument spreadsheet."""

from __future__ import annotations

from pathlib import Path

from kohaku_lib.documents.formats.interface import FORMATS, FormatKind
from kohaku_lib.settings import DocumentsSettings
from kohaku_lib.tables import DocumentPayload


def parse(path: Path, document_id: str, settings: DocumentsSettings) -> DocumentPayload:
    """Parse an OpenDocument spreadsheet; raises DocumentError where it cannot."""
    from kohaku_lib.documents.formats.office.odf.spreadsheet import parse_ods

    return parse_ods(path, document_id, settings)


FORMATS.register(
    FormatKind(
        "ods",
        {".ods": "application/vnd.oasis.opendocument.spreadsheet"},
        parse,
        settings_keys=("hidden_cells",),
        modules=("kohaku_lib.documents.formats.office.odf.spreadsheet", "lxml.html"),
        order=17,
    )
)
