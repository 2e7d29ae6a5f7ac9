"""Nodes, vectors, BM25 terms, entities and index versions."""

from __future__ import annotations

import pyarrow as pa

from kohaku_lib.tables.columns import BOX, STRINGS

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


def vector_schema(dim: int) -> pa.Schema:
    """Return the schema of vectors of `dim` float32 components keyed by node (or image storage key).

    >>> vector_schema(384).names
    ['node_id', 'vector', 'norm_ok']
    """
    return pa.schema(
        [
            pa.field("node_id", pa.string(), nullable=False),
            pa.field("vector", pa.list_(pa.float32(), dim), nullable=False),
            pa.field("norm_ok", pa.bool_(), nullable=False),  # False for a zero vector, which no search returns
        ]
    )


LEXICAL = pa.schema(
    [
        pa.field("node_id", pa.string(), nullable=False),
        pa.field("tokens", STRINGS, nullable=False),  # of searchable sentences and paragraphs, in order
    ]
)

RELATION = pa.struct(
    [
        pa.field("target_id", pa.string()),  # entity_id of the object
        pa.field("relation_type", pa.string()),
        pa.field("confidence", pa.float32()),
    ]
)

MENTIONS = pa.schema(
    [
        pa.field("entity_id", pa.string(), nullable=False),
        pa.field("entity_type", pa.string(), nullable=False),
        pa.field("name", pa.string(), nullable=False),  # as first seen
        pa.field("canonical_name", pa.string(), nullable=False),
        pa.field(
            "node_id", pa.string(), nullable=False
        ),  # the sentence, or the paragraph without sentences; the document for its title
        pa.field("document_id", pa.string(), nullable=False),
        pa.field("span_text", pa.string(), nullable=False),
        pa.field("char_start", pa.int32(), nullable=False),  # in the node's text
        pa.field("char_end", pa.int32(), nullable=False),
        pa.field("confidence", pa.float32(), nullable=False),
        pa.field("relations", pa.list_(RELATION), nullable=False),  # stated by the node about the entity
    ]
)

VECTOR_TABLES = pa.schema(
    [
        pa.field("index_version", pa.string(), nullable=False),
        pa.field("table", pa.string(), nullable=False),  # a table or vector space of the snapshot
        pa.field("rows", pa.int64(), nullable=False),
    ]
)

PUBLISHED_INDEX = pa.schema(
    [
        pa.field("index_version", pa.string(), nullable=False),
    ]
)
