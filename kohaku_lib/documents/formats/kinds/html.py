"""An HTML page."""

from __future__ import annotations

from pathlib import Path

from kohaku_lib.documents.formats.interface import FORMATS, FormatKind
from kohaku_lib.settings import DocumentsSettings
from kohaku_lib.tables import DocumentPayload


def parse(path: Path, document_id: str, settings: DocumentsSettings) -> DocumentPayload:
    """Parse an HTML page; raises DocumentError where it cannot."""
    from kohaku_lib.documents.formats.html.document import parse_html_file

    return parse_html_file(path, document_id, settings)


FORMATS.register(
    FormatKind(
        "html",
        {".html": "text/html", ".htm": "text/html", ".xhtml": "text/html"},
        parse,
        modules=("kohaku_lib.documents.formats.html.document", "lxml.html"),
        order=5,
    )
)
