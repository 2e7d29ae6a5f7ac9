"""Embeddings: models, batching, caching, and propagation of vectors up the tree."""

from kohaku_lib.embedding.cached import EMBEDDING_CACHE_SCHEMA
from kohaku_lib.embedding.encoders.actor_encoder import ActorEncoder
from kohaku_lib.embedding.model_key import model_key
from kohaku_lib.embedding.propagation import propagate
from kohaku_lib.embedding.stage_progress import embed_stage
from kohaku_lib.embedding.stages import (
    embed_images,
    embed_leaves,
    embed_paragraphs,
    embedded_leaves,
    embedded_paragraphs,
    headed_texts,
)
from kohaku_lib.embedding.texts import embed_queries, embed_texts
from kohaku_lib.embedding.token_vectors import embed_leaf_tokens, embed_tokens
from kohaku_lib.embedding.vectors import normalized

__all__ = [
    "EMBEDDING_CACHE_SCHEMA",
    "ActorEncoder",
    "embed_images",
    "embed_leaf_tokens",
    "embed_leaves",
    "embed_paragraphs",
    "embed_queries",
    "embed_stage",
    "embed_texts",
    "embed_tokens",
    "embedded_leaves",
    "embedded_paragraphs",
    "headed_texts",
    "model_key",
    "normalized",
    "propagate",
]
