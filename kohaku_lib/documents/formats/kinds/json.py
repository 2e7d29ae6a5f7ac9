"""A JSON file: a payload, or any other value."""

from __future__ import annotations

from pathlib import Path

from kohaku_lib.documents.formats.interface import FORMATS, FormatKind
from kohaku_lib.settings import DocumentsSettings
from kohaku_lib.tables import DocumentPayload


def parse(path: Path, document_id: str, settings: DocumentsSettings) -> DocumentPayload:
    """Parse a JSON file; raises DocumentError where it cannot."""
    from kohaku_lib.documents.payload_file import parse_json_file

    return parse_json_file(path, document_id, settings)


def own_id(path: Path) -> str:
    """Return the id that a payload gives itself, "" for other JSON."""
    from kohaku_lib.documents.payload_file import payload_id

    return payload_id(path)


FORMATS.register(
    FormatKind(
        "json",
        {".json": "application/json"},
        parse,
        is_plain=True,
        own_id=own_id,
        modules=("kohaku_lib.documents.payload_file",),
        order=4,
    )
)
