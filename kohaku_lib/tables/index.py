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

SUGGESTED_QUESTIONS = pa.schema(
    [
        pa.field("org_id", pa.string(), nullable=False),
        pa.field("document_id", pa.string(), nullable=False),  # which suggests it, and from which it was answered
        pa.field("question", pa.string(), nullable=False),
        pa.field("outcome", pa.string(), nullable=False),  # value or passage
    ]
)

PUBLISHED_INDEX = pa.schema(
    [
        pa.field("index_version", pa.string(), nullable=False),
    ]
)


def summaries_schema(dim: int) -> pa.Schema:
    """Return the schema of a tree of summaries, whose vectors have `dim` components; parents follow their children.

    >>> summaries_schema(384).names
    ['summary_id', 'org_id', 'level', 'text', 'child_ids', 'vector']
    """
    return pa.schema(
        [
            pa.field("summary_id", pa.string(), nullable=False),
            pa.field("org_id", pa.string(), nullable=False),
            pa.field("level", pa.int32(), nullable=False),  # from 1, of summaries of paragraphs
            pa.field("text", pa.string(), nullable=False),
            pa.field("child_ids", STRINGS, nullable=False),  # node ids at level 1, else summary ids
            pa.field("vector", pa.list_(pa.float32(), dim), nullable=False),
        ]
    )


SUMMARY_LEAVES = pa.schema(
    [
        pa.field("summary_id", pa.string(), nullable=False),
        pa.field("level", pa.int32(), nullable=False),
        pa.field("node_id", pa.string(), nullable=False),  # a paragraph below the summary, through all levels
    ]
)

TOKEN_VECTORS = pa.schema(
    [
        pa.field("node_id", pa.string(), nullable=False),
        pa.field(
            "codes", pa.binary(), nullable=False
        ),  # (tokens, dim) int8: each vector relative to its largest component
        pa.field("dim", pa.int32(), nullable=False),
    ]
)


def themes_schema(dim: int) -> pa.Schema:
    """Return the schema of the themes of a graph, whose vectors have `dim` components.

    >>> themes_schema(384).names
    ['theme_id', 'org_id', 'kind', 'text', 'entity_ids', 'node_ids', 'vector']
    """
    return pa.schema(
        [
            pa.field("theme_id", pa.string(), nullable=False),
            pa.field("org_id", pa.string(), nullable=False),
            pa.field("kind", pa.string(), nullable=False),  # relation, community
            pa.field("text", pa.string(), nullable=False),  # what its nodes say, in short
            pa.field("entity_ids", STRINGS, nullable=False),
            pa.field("node_ids", STRINGS, nullable=False),  # the leaves that it is from
            pa.field("vector", pa.list_(pa.float32(), dim), nullable=False),
        ]
    )
