"""Parse JSON files: those that contain a document payload, and all others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from kohaku_lib.documents.file_content import nonblank_text_of
from kohaku_lib.documents.formats.text.json_document import json_value, parse_json
from kohaku_lib.documents.identifiers import safe_document_id
from kohaku_lib.documents.payloads import payload_from_json
from kohaku_lib.settings import DocumentsSettings
from kohaku_lib.tables import DocumentPayload

_KEYS = frozenset(("document_id", "title", "text", "metadata", "sections"))


def parse_json_file(path: Path, document_id: str, settings: DocumentsSettings) -> DocumentPayload:
    """Parse a JSON file: the payload that it contains, else its values as text and tables (see `parse_json`).

    The document id is `document_id` unless it is empty, else the id in the payload, else the file's stem.

    Raises:
        DocumentError: The file is no JSON, has no text, or its payload is not valid.

    """
    text = nonblank_text_of(path)
    value = json_value(text, path.name)
    if not _is_payload(value):
        return parse_json(text, document_id or safe_document_id(path.stem), path.stem)
    own = value.get("document_id")
    name = document_id or safe_document_id(own if isinstance(own, str) and own.strip() else path.stem)
    return payload_from_json({**value, "document_id": name})


def payload_id(path: Path) -> str:
    """Return the document id in a payload file, "" if it states none or is no payload.

    Raises:
        DocumentError: The file is no JSON, or its payload is not valid.

    """
    value = json_value(nonblank_text_of(path), path.name)
    return payload_from_json(value).document_id.strip() if _is_payload(value) else ""


def _is_payload(value: Any) -> bool:
    """Return whether a value is meant as a payload: it has a text or sections, and an id or no key that payloads lack."""
    is_object = isinstance(value, dict) and ("text" in value or "sections" in value)
    return is_object and ("document_id" in value or value.keys() <= _KEYS)
