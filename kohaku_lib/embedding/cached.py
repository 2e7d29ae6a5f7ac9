"""Vectors of distinct texts, taken from the cache where they are known."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from kohaku_lib.digests import text_sha256
from kohaku_lib.embedding.encoder import encoder_for
from kohaku_lib.embedding.port import Encoder, Side
from kohaku_lib.embedding.vectors import normalized
from kohaku_lib.settings import EmbeddingSettings
from kohaku_lib.storage.row_cache import KEY, RowCache

Progress = Callable[[int, int], None]  # (texts done, texts to do)
EMBEDDING_CACHE_SCHEMA = pa.schema([pa.field("vector", pa.list_(pa.float32()), nullable=False)])


@dataclass(frozen=True, slots=True)
class Embedded:
    """Vectors in the order of the texts, and what they cost; all counts are of distinct texts."""

    vectors: np.ndarray  # (n, dim), float32, rows of length 1 or 0
    computed: int
    reused: int
    truncated: int  # of the computed ones
    most_tokens: int | None


def embed(
    texts: Sequence[str],
    settings: EmbeddingSettings,
    cache: RowCache | None,
    side: Side,
    progress: Progress | None = None,
) -> Embedded:
    """Return the vectors of `texts`; equal texts are computed once, and those that `cache` holds not at all.

    The key in the cache is the SHA-256 of the text, so a cache must belong to one `model_key`; it holds all
    dimensions. Computed vectors are durable after every few batches, and `progress` is told then.

    >>> embed(["one", "two", "one"], EmbeddingSettings(dim=8), None, "document").computed
    2
    """
    encoder = encoder_for(settings)
    row_by_key: dict[str, int] = {}
    distinct: list[str] = []
    rows = np.empty(len(texts), dtype=np.int64)
    for at, text in enumerate(texts):
        rows[at] = row_by_key.setdefault(text_sha256(text), len(distinct))
        if rows[at] == len(distinct):
            distinct.append(text.encode("utf-8", "replace").decode())
    vectors, known = _recalled(row_by_key, encoder.dim, cache)
    text_by_key = {key: distinct[row] for key, row in row_by_key.items() if not known[row]}
    vectors[~known], truncated = _computed(encoder, text_by_key, settings, side, cache, progress)
    reused = int(known.sum())
    return Embedded(normalized(vectors, settings.dim)[rows], len(text_by_key), reused, truncated, encoder.most_tokens)


def _recalled(row_by_key: dict[str, int], dim: int, cache: RowCache | None) -> tuple[np.ndarray, np.ndarray]:
    vectors = np.zeros((len(row_by_key), dim), dtype=np.float32)
    known = np.zeros(len(row_by_key), dtype=bool)
    if cache is not None and row_by_key:
        table = cache.get_many(row_by_key)
        rows = np.array([row_by_key[key] for key in table[KEY].to_pylist()], dtype=np.int64)
        column = table["vector"].combine_chunks()
        vectors[rows] = column.flatten().to_numpy(zero_copy_only=False).reshape(len(rows), dim)
        known[rows] = True
    return vectors, known


def _computed(
    encoder: Encoder,
    text_by_key: Mapping[str, str],
    settings: EmbeddingSettings,
    side: Side,
    cache: RowCache | None,
    progress: Progress | None,
) -> tuple[np.ndarray, int]:
    """Return the vectors of the texts in their order, and how many of these are longer than the model reads."""
    keys, texts = list(text_by_key), list(text_by_key.values())
    vectors = np.empty((len(texts), encoder.dim), dtype=np.float32)
    done = truncated = 0
    for chunk in encoder.chunks(texts, side, settings.task):
        vectors[chunk.rows] = chunk.vectors
        if cache is not None:
            cache.add_table(_cache_rows([keys[row] for row in chunk.rows], chunk.vectors))
        truncated += chunk.truncated
        done += len(chunk.rows)
        if progress is not None:
            progress(done, len(texts))
    return vectors, truncated


def _cache_rows(keys: list[str], vectors: np.ndarray) -> pa.Table:
    offsets = pa.array(np.arange(len(keys) + 1, dtype=np.int32) * vectors.shape[1])
    column = pa.ListArray.from_arrays(offsets, pa.array(vectors.reshape(-1)))
    return pa.table({KEY: pa.array(keys, pa.string()), "vector": column})
