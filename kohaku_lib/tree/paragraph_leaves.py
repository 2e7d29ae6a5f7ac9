"""Leaves of a payload's paragraph: its text and modality, and its sentences."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kohaku_lib.settings import TreeSettings
from kohaku_lib.tables import ParagraphPayload, SentencePayload
from kohaku_lib.text.sentences import Span
from kohaku_lib.tree.figure_keys import figure_key
from kohaku_lib.tree.leaf_spans import leaf_spans, line_spans
from kohaku_lib.tree.page_starts import PageStart, page_starts
from kohaku_lib.tree.sentence_boxes import sentence_places
from kohaku_lib.tree.table_rows import TableLine, table_lines

HYPOTHETICAL_QUESTION = "hypothetical_question"  # made up to be matched; never evidence
_TABLE_RULE = re.compile(r"[\s|:+=-]*$")


@dataclass(frozen=True, slots=True)
class Leaves:
    """A paragraph ready for the tree."""

    text: str
    modality: str  # text, table, image, image_caption
    searchable: bool
    sentences: Sequence[LeafSentence]
    page_starts: tuple[PageStart, ...] = ()  # of every page after the first


@dataclass(frozen=True, slots=True)
class LeafSentence:
    """A sentence: its span in the paragraph, and its text, which names the columns for a table row."""

    span: Span
    text: str
    metadata: Mapping[str, Any]


def paragraph_leaves(
    paragraph: ParagraphPayload,
    document_id: str,
    caption_by_key: Mapping[str, str],
    settings: TreeSettings,
    language: str | None = None,
) -> Leaves:
    r"""Return the text, modality and sentences of `paragraph`, which is written in `language`.

    An image takes the text of its caption as its one sentence; without a caption it is a placeholder that is not
    searched and has no sentence, unless `search_placeholders` is set; nor is a hypothetical question, by its
    `content_type`. The sentences of a table are its caption and its rows, in the words of `table_lines` where it is
    written in Markdown. Sentences of the payload are kept if each occurs in the text (those of a table pass their
    metadata to the rows that contain them), preceded by the words of their `context`, as for nested lists; other text
    is split.

    >>> leaves = paragraph_leaves(ParagraphPayload("| a | kWh |\n|---|---|\n| b | 2 |",
    ...     metadata={"modality": "table"}), "d", {}, TreeSettings())
    >>> [(sentence.span, sentence.text) for sentence in leaves.sentences]
    [((22, 31), 'b — kWh: 2')]
    """
    modality = _stated_modality(paragraph.metadata)
    if modality == "image":
        caption = caption_by_key.get(figure_key(document_id, paragraph.metadata), "")
        return _image_leaves(paragraph, caption, is_searched=settings.search_placeholders)
    text = paragraph.text.strip()
    if paragraph.metadata.get("content_type") == HYPOTHETICAL_QUESTION:
        return Leaves(text, modality, False, ())
    given = _given_spans(text, paragraph.sentences or ())
    metadata = [sentence.metadata for sentence in paragraph.sentences or ()] if given else []
    shift = len(paragraph.text) - len(paragraph.text.lstrip())
    starts = page_starts(paragraph.metadata, zip((start for start, _ in given), metadata, strict=False), shift)
    rows = table_lines(text) if modality == "table" else []
    if rows:
        return Leaves(text, modality, True, _row_sentences(rows, given, metadata), starts)
    spans = given or (_row_spans(text) if modality == "table" else leaf_spans(text, settings, language))
    sentences = [
        LeafSentence(span, _in_context(text[slice(*span)], own), own)
        for span, own in zip(spans, metadata or sentence_places(spans, paragraph.metadata, shift), strict=True)
    ]
    return Leaves(text, modality, bool(text), sentences, starts)


def _in_context(text: str, metadata: Mapping[str, Any]) -> str:
    context = metadata.get("context")
    return f"{context}: {text}" if isinstance(context, str) and context else text


def _stated_modality(metadata: Mapping[str, Any]) -> str:
    named = metadata.get("modality") or metadata.get("attachment_type") or "text"
    return named if named in ("table", "image", "image_caption") else "text"


def _image_leaves(paragraph: ParagraphPayload, caption: str, *, is_searched: bool) -> Leaves:
    text = caption.strip()
    if text:
        return Leaves(text, "image_caption", True, [LeafSentence((0, len(text)), text, {})])
    text = paragraph.text.strip()
    if text and is_searched:
        return Leaves(text, "image", True, [LeafSentence((0, len(text)), text, {})])
    return Leaves(text, "image", False, ())


def _row_spans(text: str) -> list[Span]:
    return [(start, end) for start, end in line_spans(text, 0) if not _TABLE_RULE.match(text[start:end])]


def _row_sentences(
    rows: Sequence[TableLine], given: Sequence[Span], metadata: Sequence[Mapping[str, Any]]
) -> list[LeafSentence]:
    """Return the rows, each with the metadata of the payload sentence that ends at the same offset."""
    metadata_by_end = {end: own for (_, end), own in zip(given, metadata, strict=True)}
    return [LeafSentence(row.span, row.text, metadata_by_end.get(row.span[1], {})) for row in rows]


def _given_spans(text: str, sentences: Sequence[SentencePayload]) -> list[Span]:
    """Return the spans of the payload sentences in `text`, in order; [] if one is blank or does not occur."""
    spans: list[Span] = []
    for sentence in sentences:
        piece = sentence.text.strip()
        start = text.find(piece, spans[-1][1] if spans else 0) if piece else -1
        if start < 0:
            return []
        spans.append((start, start + len(piece)))
    return spans
