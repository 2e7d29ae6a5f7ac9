"""What a paragraph of a payload becomes: its text and modality, and the spans of its sentences."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kohaku_lib.documents import image_storage_key
from kohaku_lib.settings import TreeSettings
from kohaku_lib.tables import ParagraphPayload, SentencePayload
from kohaku_lib.tree.sentences import Span, line_spans, sentence_spans

_TABLE_RULE = re.compile(r"[\s|:+=-]*$")


@dataclass(frozen=True, slots=True)
class Leaves:
    """A paragraph ready for the tree; `sentence_metadata` is as long as `spans`."""

    text: str
    modality: str  # text, table, image, image_caption
    searchable: bool
    spans: Sequence[Span]
    sentence_metadata: Sequence[Mapping[str, Any]]


def paragraph_leaves(
    paragraph: ParagraphPayload, document_id: str, caption_by_key: Mapping[str, str], settings: TreeSettings
) -> Leaves:
    r"""Return the text, modality and sentences of `paragraph`.

    An image takes the text of its caption as its one sentence; without a caption it is a placeholder that is not
    searched and has no sentence. The sentences of a table are its rows. Sentences that the payload brings are
    kept where each stands in the text; other text is split.

    >>> leaves = paragraph_leaves(ParagraphPayload("| a | 1 |\n|---|---|\n| b | 2 |",
    ...     metadata={"modality": "table"}), "d", {}, TreeSettings())
    >>> [leaves.text[start:end] for start, end in leaves.spans]
    ['| a | 1 |', '| b | 2 |']
    """
    modality = _modality(paragraph.metadata)
    if modality == "image":
        return _image(paragraph, caption_by_key.get(_storage_key(document_id, paragraph.metadata), ""))
    text = paragraph.text.strip()
    given = _given_spans(text, paragraph.sentences or ())
    if given:
        return Leaves(text, modality, True, given, [sentence.metadata for sentence in paragraph.sentences or ()])
    spans = _rows(text) if modality == "table" else sentence_spans(text, settings)
    return Leaves(text, modality, bool(text), spans, [{}] * len(spans))


def _modality(metadata: Mapping[str, Any]) -> str:
    named = metadata.get("modality") or metadata.get("attachment_type") or "text"
    return named if named in ("table", "image", "image_caption") else "text"


def _storage_key(document_id: str, metadata: Mapping[str, Any]) -> str:
    named = metadata.get("image_storage_key")
    if named:
        return str(named)
    try:
        return image_storage_key(document_id, int(metadata["page"]), int(metadata["image_index"]))
    except (KeyError, TypeError, ValueError):
        return ""


def _image(paragraph: ParagraphPayload, caption: str) -> Leaves:
    text = caption.strip()
    if not text:
        return Leaves(paragraph.text.strip(), "image", False, (), ())
    return Leaves(text, "image_caption", True, [(0, len(text))], [{}])


def _rows(text: str) -> list[Span]:
    return [(start, end) for start, end in line_spans(text, 0) if not _TABLE_RULE.match(text[start:end])]


def _given_spans(text: str, sentences: Sequence[SentencePayload]) -> list[Span]:
    """Return where the given sentences stand in `text`, in order; [] where one is blank or does not stand there."""
    spans: list[Span] = []
    for sentence in sentences:
        piece = sentence.text.strip()
        start = text.find(piece, spans[-1][1] if spans else 0) if piece else -1
        if start < 0:
            return []
        spans.append((start, start + len(piece)))
    return spans
