"""Token vectors of texts, for late interaction, and their storage in one byte a dimension."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from kohaku_lib.embedding.encoders.device import choose_device
from kohaku_lib.embedding.encoders.interface import Side
from kohaku_lib.embedding.encoders.torch_encoder import load_torch
from kohaku_lib.embedding.model_folder import model_folder
from kohaku_lib.embedding.stages import embedded_leaves
from kohaku_lib.embedding.vectors import normalized
from kohaku_lib.settings import EmbeddingSettings
from kohaku_lib.tables import TOKEN_VECTORS, StageReport

LARGEST = 127
_TEXTS_AT_ONCE = 1024  # their float32 vectors are in memory together


def embed_tokens(texts: Sequence[str], settings: EmbeddingSettings, side: Side = "query") -> list[np.ndarray]:
    """Return the token vectors of each of `texts`, (tokens, dim) float32 rows of length 1, by a local model.

    Tokens without a letter or digit have none.

    >>> [vectors.shape for vectors in embed_tokens(["Cats sleep.", "?!"], EmbeddingSettings())]
    [(2, 384), (0, 384)]

    Raises:
        ModelError: The model is unavailable.

    """
    folder = model_folder(settings.model, settings.revision)
    return load_torch(folder, settings, choose_device(settings.device)).token_vectors(texts, side, settings.task)


def embed_leaf_tokens(nodes: pa.Table, settings: EmbeddingSettings) -> tuple[pa.Table, StageReport]:
    """Return the token vectors (TOKEN_VECTORS) of the searchable leaves of `nodes`, in their order."""
    chosen = nodes.filter(pa.array(embedded_leaves(nodes)))
    texts = chosen["text"].to_pylist()
    distinct = list(dict.fromkeys(texts))
    codes: dict[str, tuple[int, bytes]] = {}
    for start in range(0, len(distinct), _TEXTS_AT_ONCE):
        part = distinct[start : start + _TEXTS_AT_ONCE]
        codes |= zip(part, map(bytes_of, embed_tokens(part, settings, "document")), strict=True)
    columns = {"codes": [codes[text][1] for text in texts], "dim": [codes[text][0] for text in texts]}
    return pa.table({"node_id": chosen["node_id"], **columns}, schema=TOKEN_VECTORS), StageReport(len(distinct))


def bytes_of(vectors: np.ndarray) -> tuple[int, bytes]:
    """Return the dimensions of `vectors` (tokens, dim) and their components relative to the largest of each, in int8.

    The length is lost, which is 1.

    >>> bytes_of(np.array([[0.6, -0.8]]))[1] == np.array([95, -127], np.int8).tobytes()
    True
    """
    peaks = np.abs(vectors).max(axis=1, initial=0.0)[:, None]
    scaled = np.divide(vectors * LARGEST, peaks, out=np.zeros(vectors.shape), where=peaks > 0)
    return vectors.shape[1], np.rint(scaled).astype(np.int8).tobytes()


def vectors_in(codes: np.ndarray) -> np.ndarray:
    """Return the vectors of length 1 of `codes` (tokens, dim) int8."""
    return normalized(codes)
