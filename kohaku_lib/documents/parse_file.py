"""One file to one payload, whatever its format."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from kohaku_lib.documents.decoding import decode_text
from kohaku_lib.documents.docx_document import parse_docx
from kohaku_lib.documents.html_document import parse_html
from kohaku_lib.documents.identifiers import safe_document_id
from kohaku_lib.documents.markdown import parse_markdown
from kohaku_lib.documents.ocr.image_formats import IMAGE_MIME_TYPES
from kohaku_lib.documents.payloads import payload_from_json
from kohaku_lib.documents.plain_text import parse_plain_text
from kohaku_lib.documents.pptx_document import parse_pptx
from kohaku_lib.documents.spreadsheet_csv import parse_csv
from kohaku_lib.documents.spreadsheet_xlsx import parse_xlsx
from kohaku_lib.errors import DocumentError
from kohaku_lib.settings import DocumentsSettings
from kohaku_lib.tables import DocumentPayload

MIME_TYPES = {
    ".pdf": "application/pdf",
    ".md": "text/markdown",
    ".markdown": "text/markdown",
    ".txt": "text/plain",
    ".text": "text/plain",
    ".json": "application/json",
    ".html": "text/html",
    ".htm": "text/html",
    ".xhtml": "text/html",
    ".csv": "text/csv",
    ".tsv": "text/tab-separated-values",
    ".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    ".pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    ".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    ".xlsm": "application/vnd.ms-excel.sheet.macroenabled.12",
    **IMAGE_MIME_TYPES,
}


def parse_file(
    path: Path, document_id: str | None = None, settings: DocumentsSettings | None = None
) -> DocumentPayload:
    """Return the payload of a file of one of the formats in `MIME_TYPES`, told apart by its suffix.

    The id is `document_id`, else the payload's own, else the file's stem, made safe for node ids. Raises
    DocumentError with one sentence where the file is encrypted, damaged, empty or of another format, its subclass
    NeedsOcrError where an image, or a PDF without text, finds no OCR engine, its subclass MissingPackageError where
    an extra is not installed.
    """
    suffix = path.suffix.lower()
    if suffix == ".pdf":
        from kohaku_lib.documents.pdf import parse_pdf

        payload = parse_pdf(path, document_id or safe_document_id(path.stem), settings or DocumentsSettings())
    elif suffix in IMAGE_MIME_TYPES:
        from kohaku_lib.documents.ocr.parse_image import parse_image

        payload = parse_image(path, document_id or safe_document_id(path.stem), settings or DocumentsSettings())
    elif suffix == ".json":
        payload = _parse_payload(path, document_id)
    elif suffix in _BINARY_PARSERS:
        payload = _BINARY_PARSERS[suffix](path, document_id or safe_document_id(path.stem))
    elif suffix in MIME_TYPES:
        payload = _parse_text(path, document_id or safe_document_id(path.stem), suffix)
    else:
        allowed = ", ".join(MIME_TYPES)
        msg = f"{path.name!r} is not of a document format; its name must end in one of {allowed}"
        raise DocumentError(msg)
    return payload


def payload_id(path: Path) -> str:
    """Return the id that the payload in the file gives itself, "" where it gives none; raises DocumentError."""
    return payload_from_json(load_payload_json(path)).document_id.strip()


def load_payload_json(path: Path) -> dict[str, Any]:
    """Return the JSON object in the file; raises DocumentError where it holds none or cannot be read."""
    text = _text_of(path)
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as fault:
        msg = f"{path.name!r} is not valid JSON ({fault})"
        raise DocumentError(msg) from fault
    if isinstance(value, dict):
        return value
    msg = f"{path.name!r} is no document payload: it holds a {type(value).__name__}, not an object"
    raise DocumentError(msg)


def _parse_payload(path: Path, document_id: str | None) -> DocumentPayload:
    value = load_payload_json(path)
    own = value.get("document_id")
    name = document_id or safe_document_id(own if isinstance(own, str) and own.strip() else path.stem)
    return payload_from_json({**value, "document_id": name})


def _parse_html(path: Path, document_id: str) -> DocumentPayload:
    return parse_html(_bytes_of(path), document_id, path.stem)


def _parse_csv(path: Path, document_id: str) -> DocumentPayload:
    return parse_csv(_bytes_of(path), document_id, path.stem)


_BINARY_PARSERS: dict[str, Callable[[Path, str], DocumentPayload]] = {
    ".html": _parse_html,
    ".htm": _parse_html,
    ".xhtml": _parse_html,
    ".csv": _parse_csv,
    ".tsv": _parse_csv,
    ".docx": parse_docx,
    ".pptx": parse_pptx,
    ".xlsx": parse_xlsx,
    ".xlsm": parse_xlsx,
}


def _parse_text(path: Path, document_id: str, suffix: str) -> DocumentPayload:
    text = _text_of(path)
    if not text.strip():
        msg = f"{path.name!r} holds no text"
        raise DocumentError(msg)
    parse: Callable[[str, str, str], DocumentPayload] = (
        parse_markdown if MIME_TYPES[suffix] == "text/markdown" else parse_plain_text
    )
    return parse(text, document_id, path.stem)


def _text_of(path: Path) -> str:
    text = decode_text(_bytes_of(path)).text
    if "\0" in text:
        msg = f"{path.name!r} holds binary data, not text"
        raise DocumentError(msg)
    return text


def _bytes_of(path: Path) -> bytes:
    try:
        data = path.read_bytes()
    except OSError as fault:
        msg = f"{path.name!r} cannot be read ({fault.strerror or type(fault).__name__})"
        raise DocumentError(msg) from fault
    if not data:
        msg = f"{path.name!r} is empty"
        raise DocumentError(msg)
    return data
