"""Orders snippets so that each is relevant and yet says something new."""

from __future__ import annotations

import numpy as np


def mmr_order(relevance: np.ndarray, vectors: np.ndarray, k: int, weight: float) -> np.ndarray:
    """Return the positions of n snippets: `k` picked by maximal marginal relevance, then the others in their order.

    Each pick has the largest weight · relevance - (1 - weight) · its largest cosine to a pick before it (Carbonell
    and Goldstein, 1998). The first is the most relevant one; ties keep their order. `vectors` (n, dim) are
    L2-normalised; a row of zeros is near nothing. Where there are no more than `k` snippets their order stays.

    >>> vectors = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    >>> mmr_order(np.array([1.0, 0.9, 0.5]), vectors, 2, 0.7).tolist()
    [0, 2, 1]
    """
    count = len(relevance)
    if count <= k:
        return np.arange(count)
    cosines = vectors @ vectors.T
    nearest = np.zeros(count)  # nothing is picked yet, so nothing is repeated
    left = np.ones(count, bool)
    picked: list[int] = []
    for _ in range(k):
        values = np.where(left, weight * relevance - (1.0 - weight) * nearest, -np.inf)
        best = int(np.argmax(values))
        picked.append(best)
        left[best] = False
        nearest = cosines[best] if len(picked) == 1 else np.maximum(nearest, cosines[best])
    return np.concatenate([np.array(picked), np.flatnonzero(left)]).astype(np.int64)


def relative(scores: np.ndarray) -> np.ndarray:
    """Return scores as shares of the best, from 0 to 1; ones where none is positive.

    >>> relative(np.array([0.8, 0.4, -0.1])).tolist()
    [1.0, 0.5, 0.0]
    """
    best = scores.max(initial=0.0)
    return np.clip(scores / best, 0.0, 1.0) if best > 0 else np.ones(len(scores))
