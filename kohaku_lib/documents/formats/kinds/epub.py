"""An e-book."""

from __future__ import annotations

from pathlib import Path

from kohaku_lib.documents.formats.interface import FORMATS, FormatKind
from kohaku_lib.settings import DocumentsSettings
from kohaku_lib.tables import DocumentPayload


def parse(path: Path, document_id: str, settings: DocumentsSettings) -> DocumentPayload:
    """Parse an e-book; raises DocumentError where it cannot."""
    from kohaku_lib.documents.formats.html.epub import parse_epub

    return parse_epub(path, document_id, settings)


FORMATS.register(
    FormatKind(
        "epub",
        {".epub": "application/epub+zip"},
        parse,
        modules=("kohaku_lib.documents.formats.html.epub", "lxml.html"),
        order=12,
    )
)
