"""A plain text file."""

from __future__ import annotations

from pathlib import Path

from kohaku_lib.documents.formats.interface import FORMATS, FormatKind
from kohaku_lib.settings import DocumentsSettings
from kohaku_lib.tables import DocumentPayload


def parse(path: Path, document_id: str, settings: DocumentsSettings) -> DocumentPayload:
    """Parse a plain text file; raises DocumentError where it cannot."""
    from kohaku_lib.documents.formats.text.plain_text import parse_text_file

    return parse_text_file(path, document_id, settings)


FORMATS.register(
    FormatKind(
        "text",
        {".txt": "text/plain", ".text": "text/plain", ".yaml": "application/yaml", ".yml": "application/yaml"},
        parse,
        is_plain=True,
        modules=("kohaku_lib.documents.formats.text.plain_text",),
        order=3,
    )
)
