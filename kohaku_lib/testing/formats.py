"""The contract of document formats."""

from __future__ import annotations

import contextlib
import pkgutil
import tempfile
from pathlib import Path

from kohaku_lib.documents import payload_from_json, payload_to_json
from kohaku_lib.documents.formats.interface import FormatKind
from kohaku_lib.errors import DocumentError
from kohaku_lib.settings import DocumentsSettings
from kohaku_lib.tables import DocumentPayload

BROKEN = (b"", b" \n", b"\xff\xfe\x00\x01", b"no file of this format")


def check_format(kind: FormatKind, content: bytes, settings: DocumentsSettings | None = None) -> None:
    """Fail where `kind` breaks the contract of document formats.

    A file becomes the same payload each time, with the document id that it is to have and with text; a broken one becomes
    a payload or raises DocumentError. Suffixes are small letters with a dot, and its settings are those of documents.

    Args:
        kind: The kind to check.
        content: A file of the format that has text.
        settings: Settings under which it works; the defaults by default.

    Example:
        >>> from kohaku_lib.documents.formats.interface import FORMATS
        >>> check_format(FORMATS.get("text"), b"The bees fly.")

    """
    assert kind.mime_types, f"the format {kind.name!r} must have a suffix"
    for suffix, mime_type in kind.mime_types.items():
        assert suffix[:1] == ".", f"the suffix {suffix!r} must begin with a dot"
        assert suffix == suffix.lower(), f"the suffix {suffix!r} must be of small letters"
        assert mime_type.count("/") == 1, f"{mime_type!r} must be a MIME type such as text/plain"
    unknown = set(kind.settings_keys) - DocumentsSettings.model_fields.keys()
    assert not unknown, f"the format {kind.name!r} names settings of documents that there are not: {sorted(unknown)}"
    for module in kind.modules:
        pkgutil.resolve_name(module)
    settings = settings or DocumentsSettings()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"bees{next(iter(kind.mime_types))}"
        path.write_bytes(content)
        _check_payload(kind, path, settings)
        for broken in BROKEN:
            path.write_bytes(broken)
            with contextlib.suppress(DocumentError):
                kind.parse(path, "doc-1", settings)


def _check_payload(kind: FormatKind, path: Path, settings: DocumentsSettings) -> None:
    payload = kind.parse(path, "doc-1", settings)
    assert isinstance(payload, DocumentPayload), (
        f"the format {kind.name!r} must give a DocumentPayload, got {payload!r}"
    )
    assert payload.document_id == "doc-1", f"the document must have the id 'doc-1', got {payload.document_id!r}"
    texts = [payload.text, *(one.text for section in payload.sections or () for one in section.paragraphs)]
    assert any(text.strip() for text in texts), f"the format {kind.name!r} finds no text in the file"
    assert payload_from_json(payload_to_json(payload)) == payload, "the metadata of a payload must be JSON"
    again = kind.parse(path, "doc-1", settings)
    assert again == payload, f"the format {kind.name!r} must read a file alike each time, got {payload} and {again}"
    if kind.own_id is not None:
        assert isinstance(kind.own_id(path), str), f"the own id of {kind.name!r} must be a text"
