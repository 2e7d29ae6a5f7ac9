"""Source files, parsed documents and their images."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

SOURCE_FILES = pa.schema(
    [
        pa.field(
            "path", pa.string(), nullable=False
        ),  # relative to corpus.documents, POSIX; "" if there is only metadata
        pa.field("document_id", pa.string(), nullable=False),
        pa.field("sha256", pa.string()),  # None without a file
        pa.field("size_bytes", pa.int64()),
        pa.field("status", pa.string(), nullable=False),  # "ready", or the reason why it will not be indexed
        pa.field(
            "metadata_json", pa.string(), nullable=False
        ),  # the row of metadata.csv: type, title, year, citation, url
    ]
)

DOCUMENTS = pa.schema(
    [
        pa.field("document_id", pa.string(), nullable=False),
        pa.field("org_id", pa.string(), nullable=False),
        pa.field("path", pa.string(), nullable=False),
        pa.field("sha256", pa.string(), nullable=False),
        pa.field("mime_type", pa.string(), nullable=False),
        pa.field("title", pa.string(), nullable=False),
        pa.field("pages", pa.int32()),  # None if the format has none
        pa.field("status", pa.string(), nullable=False),  # "parsed", "needs_ocr" or "failed"
        pa.field("error", pa.string()),  # one sentence
        pa.field("metadata_json", pa.string(), nullable=False),  # type, year, citation, url, ...
        pa.field("payload_json", pa.string()),  # KohakuRAG's document payload; None unless parsed
        pa.field("sketch", pa.string()),  # hashes of shingles, by which near-copies are found; None unless parsed
    ]
)

DOCUMENT_IMAGES = pa.schema(
    [
        pa.field("storage_key", pa.string(), nullable=False),  # img:{document_id}:p{page}:i{idx}, both from 1
        pa.field("document_id", pa.string(), nullable=False),
        pa.field("page", pa.int32(), nullable=False),
        pa.field("idx", pa.int32(), nullable=False),
        pa.field("name", pa.string(), nullable=False),
        pa.field("mime", pa.string(), nullable=False),
        pa.field("width", pa.int32(), nullable=False),
        pa.field("height", pa.int32(), nullable=False),
        pa.field("sha256", pa.string(), nullable=False),  # of `bytes`
        pa.field("page_caption", pa.string()),  # as printed on the page, "Figure 3: ..."
        pa.field("figure_text", pa.string()),  # words within a drawn figure: ticks, labels, legends
        pa.field("bytes", pa.binary(), nullable=False),
    ]
)

IMAGE_CAPTIONS = pa.schema(
    [
        pa.field("storage_key", pa.string(), nullable=False),
        pa.field("document_id", pa.string(), nullable=False),
        pa.field("page", pa.int32(), nullable=False),
        pa.field("idx", pa.int32(), nullable=False),
        pa.field("text", pa.string(), nullable=False),  # "[img:NAME WxH] caption"
        pa.field("caption_source", pa.string(), nullable=False),  # "page", "ocr" or "vision_model"
    ]
)


@dataclass(frozen=True, slots=True)
class SentencePayload:
    """A sentence of a paragraph; its metadata may contain `page` and `bbox`."""

    text: str
    metadata: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ParagraphPayload:
    """A paragraph, table or image; `sentences` is None until it is split."""

    text: str
    sentences: tuple[SentencePayload, ...] | None = None
    metadata: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SectionPayload:
    """A section with a title; its metadata may contain `level` and `page`."""

    title: str
    paragraphs: tuple[ParagraphPayload, ...]
    metadata: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class DocumentPayload:
    """A parsed document, in the shape of KohakuRAG's JSON."""

    document_id: str
    title: str
    text: str
    metadata: dict[str, Any] = field(default_factory=dict)
    sections: tuple[SectionPayload, ...] | None = None
