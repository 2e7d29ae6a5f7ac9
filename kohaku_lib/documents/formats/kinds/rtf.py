"""An RTF file."""

from __future__ import annotations

from pathlib import Path

from kohaku_lib.documents.formats.interface import FORMATS, FormatKind
from kohaku_lib.settings import DocumentsSettings
from kohaku_lib.tables import DocumentPayload


def parse(path: Path, document_id: str, settings: DocumentsSettings) -> DocumentPayload:
    """Parse an RTF file; raises DocumentError where it cannot."""
    from kohaku_lib.documents.formats.text.rtf import parse_rtf_file

    return parse_rtf_file(path, document_id, settings)


FORMATS.register(
    FormatKind(
        "rtf",
        {".rtf": "application/rtf"},
        parse,
        modules=("kohaku_lib.documents.formats.text.rtf", "striprtf.striprtf"),
        order=15,
    )
)
