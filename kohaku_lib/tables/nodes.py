"""Nodes of the document trees."""

from __future__ import annotations

import pyarrow as pa

from kohaku_lib.tables.columns import BOX

NODES = pa.schema(
    [
        pa.field("node_id", pa.string(), nullable=False),  # doc, doc:sec1, doc:sec1:p2, doc:sec1:p2:s3
        pa.field("org_id", pa.string(), nullable=False),
        pa.field("document_id", pa.string(), nullable=False),
        pa.field("parent_id", pa.string()),  # None for documents
        pa.field(
            "parent_row", pa.int32(), nullable=False
        ),  # row of the parent in this table, -1 for documents; parents precede their children
        pa.field("kind", pa.string(), nullable=False),  # document, section, paragraph, sentence
        pa.field("ordinal", pa.int32(), nullable=False),  # position among the siblings, from 0
        pa.field(
            "title", pa.string(), nullable=False
        ),  # document or section title; the section's for its paragraphs and sentences
        pa.field("text", pa.string(), nullable=False),
        pa.field("content_sha256", pa.string(), nullable=False),  # of `text`
        pa.field(
            "char_start", pa.int32()
        ),  # offsets of a sentence in its paragraph's text; a table row's own text names the columns instead
        pa.field("char_end", pa.int32()),
        pa.field("page", pa.int32()),
        pa.field("bbox", BOX),  # [x0, y0, x1, y1] in points on that page
        pa.field("modality", pa.string(), nullable=False),  # text, table, image, image_caption
        pa.field("content_type", pa.string(), nullable=False),  # body, reference, ...
        pa.field(
            "searchable", pa.bool_(), nullable=False
        ),  # sentences and paragraphs with real text; no uncaptioned image placeholder
        pa.field("token_count", pa.int32(), nullable=False),  # estimate: characters / 4, at least 1
        pa.field("metadata_json", pa.string(), nullable=False),
    ]
)
