"""Convert document payloads to and from KohakuRAG's JSON format."""

from __future__ import annotations

from typing import Any

from kohaku_lib.errors import DocumentError
from kohaku_lib.tables import DocumentPayload, ParagraphPayload, SectionPayload, SentencePayload


def payload_to_json(payload: DocumentPayload) -> dict[str, Any]:
    """Return `payload` as JSON values; `payload_from_json` is the lossless inverse.

    >>> payload_to_json(DocumentPayload("a", "A", "text"))
    {'document_id': 'a', 'title': 'A', 'text': 'text', 'metadata': {}, 'sections': None}
    """
    sections = payload.sections
    return {
        "document_id": payload.document_id,
        "title": payload.title,
        "text": payload.text,
        "metadata": payload.metadata,
        "sections": None if sections is None else [_section_to_json(section) for section in sections],
    }


def payload_from_json(value: Any) -> DocumentPayload:
    """Return the payload in a JSON object; missing keys get defaults, a missing title the document id.

    >>> payload_from_json({"document_id": "a", "text": "Amber."}).title
    'a'

    Raises:
        DocumentError: `value` is not an object, has neither `text` nor `sections`, or a part of it has the wrong
            type; the message names the part.

    """
    fields = _object_in(value, "the payload")
    if "text" not in fields and "sections" not in fields:
        msg = "the JSON is not a document payload: it has neither 'text' nor 'sections'"
        raise DocumentError(msg)
    identifier = _string_in(fields, "document_id", "the payload")
    return DocumentPayload(
        document_id=identifier,
        title=_string_in(fields, "title", "the payload") or identifier,
        text=_string_in(fields, "text", "the payload"),
        metadata=_metadata_in(fields, "the payload"),
        sections=_optional_items(fields, "sections", "the payload", _section_from_json),
    )


def document_text(payload: DocumentPayload) -> str:
    """Return the text of a payload, or its paragraphs joined by blank lines if the text is empty."""
    if payload.text:
        return payload.text
    return "\n\n".join(paragraph.text for section in payload.sections or () for paragraph in section.paragraphs)


def _section_to_json(section: SectionPayload) -> dict[str, Any]:
    return {
        "title": section.title,
        "metadata": section.metadata,
        "paragraphs": [_paragraph_to_json(paragraph) for paragraph in section.paragraphs],
    }


def _paragraph_to_json(paragraph: ParagraphPayload) -> dict[str, Any]:
    sentences = paragraph.sentences
    return {
        "text": paragraph.text,
        "metadata": paragraph.metadata,
        "sentences": None if sentences is None else [{"text": s.text, "metadata": s.metadata} for s in sentences],
    }


def _section_from_json(value: Any, place: str) -> SectionPayload:
    fields = _object_in(value, place)
    paragraphs = _optional_items(fields, "paragraphs", place, _paragraph_from_json) or ()
    return SectionPayload(_string_in(fields, "title", place), paragraphs, _metadata_in(fields, place))


def _paragraph_from_json(value: Any, place: str) -> ParagraphPayload:
    fields = _object_in(value, place)
    sentences = _optional_items(fields, "sentences", place, _sentence_from_json)
    return ParagraphPayload(_string_in(fields, "text", place), sentences, _metadata_in(fields, place))


def _sentence_from_json(value: Any, place: str) -> SentencePayload:
    fields = _object_in(value, place)
    return SentencePayload(_string_in(fields, "text", place), _metadata_in(fields, place))


def _object_in(value: Any, place: str) -> dict[str, Any]:
    if isinstance(value, dict):
        return value
    msg = f"the JSON is not a document payload: {place} must be an object, got {type(value).__name__}"
    raise DocumentError(msg)


def _string_in(fields: dict[str, Any], key: str, place: str) -> str:
    value = fields.get(key)
    if value is None or isinstance(value, str):
        return value or ""
    msg = f"the JSON is not a document payload: {key!r} of {place} must be a text, got {type(value).__name__}"
    raise DocumentError(msg)


def _metadata_in(fields: dict[str, Any], place: str) -> dict[str, Any]:
    value = fields.get("metadata")
    return {} if value is None else _object_in(value, f"'metadata' of {place}")


def _optional_items(fields: dict[str, Any], key: str, place: str, item_from_json: Any) -> tuple[Any, ...] | None:
    values = fields.get(key)
    if values is None:
        return None
    if not isinstance(values, list):
        msg = f"the JSON is not a document payload: {key!r} of {place} must be a list, got {type(values).__name__}"
        raise DocumentError(msg)
    return tuple(item_from_json(value, f"{key}[{index}] of {place}") for index, value in enumerate(values))
