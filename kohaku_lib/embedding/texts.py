"""Embedding of texts and questions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kohaku_lib.embedding.cached import embed
from kohaku_lib.embedding.unknown_scripts import is_unreadable
from kohaku_lib.settings import EmbeddingSettings
from kohaku_lib.storage import RowCache


def embed_texts(
    texts: Sequence[str], settings: EmbeddingSettings | None = None, cache: RowCache | None = None
) -> np.ndarray:
    """Return the document-side vectors (n, dim) of `texts`: float32 rows of length 1, in the order of the texts.

    `settings=None` means the defaults, `cache=None` that every distinct text is computed. A text over the model's limit is
    truncated.

    >>> vectors = embed_texts(["a cat", "a cat", "the price of oil"])
    >>> vectors.shape, bool(vectors[0] @ vectors[1] > 0.999), bool(vectors[0] @ vectors[2] < 0.5)
    ((3, 384), True, True)
    >>> embed_texts([]).shape
    (0, 384)

    Raises:
        ModelError: The model is unavailable.

    """
    return embed(texts, settings or EmbeddingSettings(), cache, "document").vectors


def embed_queries(texts: Sequence[str], settings: EmbeddingSettings | None = None) -> np.ndarray:
    """Return the query-side vectors (n, dim) of `texts`: float32 rows of length 1, to be compared with `embed_texts`.

    Models with separate prompts apply that of queries. A text in a script that the model's vocabulary lacks has a zero
    vector, as all such texts would look alike; dense search then finds nothing.

    >>> question, answer = embed_queries(["Where do cats live?"]), embed_texts(["Cats live in houses."])
    >>> bool((question @ answer.T)[0, 0] > 0.5)
    True

    Raises:
        ModelError: The model is unavailable.

    """
    settings = settings or EmbeddingSettings()
    vectors = embed(texts, settings, None, "query").vectors
    vectors[is_unreadable(texts, settings)] = 0.0
    return vectors
