"""A file with a JSON value on each line."""

from __future__ import annotations

from pathlib import Path

from kohaku_lib.documents.formats.interface import FORMATS, FormatKind
from kohaku_lib.settings import DocumentsSettings
from kohaku_lib.tables import DocumentPayload


def parse(path: Path, document_id: str, settings: DocumentsSettings) -> DocumentPayload:
    """Parse a file with a JSON value on each line; raises DocumentError where it cannot."""
    from kohaku_lib.documents.formats.text.json_document import parse_json_lines_file

    return parse_json_lines_file(path, document_id, settings)


FORMATS.register(
    FormatKind(
        "json_lines",
        {".jsonl": "application/jsonl", ".ndjson": "application/x-ndjson"},
        parse,
        is_plain=True,
        modules=("kohaku_lib.documents.formats.text.json_document",),
        order=13,
    )
)
