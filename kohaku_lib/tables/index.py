"""Vectors, BM25 terms, entities and index versions."""

from __future__ import annotations

import pyarrow as pa

from kohaku_lib.tables.columns import STRINGS


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
