"""Parse JSON files that contain a document payload."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from kohaku_lib.documents.file_content import text_of
from kohaku_lib.documents.identifiers import safe_document_id
from kohaku_lib.documents.payloads import payload_from_json
from kohaku_lib.errors import DocumentError
from kohaku_lib.settings import DocumentsSettings
from kohaku_lib.tables import DocumentPayload


def parse_payload_file(path: Path, document_id: str, settings: DocumentsSettings) -> DocumentPayload:
    """Parse a payload file.

    The document id is `document_id` unless it is empty, else the id in the payload, else the file's stem.

    Raises:
        DocumentError: The file contains no valid payload.

    """
    value = _read_object(path)
    own = value.get("document_id")
    name = document_id or safe_document_id(own if isinstance(own, str) and own.strip() else path.stem)
    return payload_from_json({**value, "document_id": name})


def payload_id(path: Path) -> str:
    """Return the document id in a payload file, "" if it states none.

    Raises:
        DocumentError: The file contains no valid payload.

    """
    return payload_from_json(_read_object(path)).document_id.strip()


def _read_object(path: Path) -> dict[str, Any]:
    text = text_of(path)
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as fault:
        msg = f"{path.name!r} is not valid JSON ({fault})"
        raise DocumentError(msg) from fault
    if isinstance(value, dict):
        return value
    msg = f"{path.name!r} is not a document payload: it contains a {type(value).__name__}, not an object"
    raise DocumentError(msg)
