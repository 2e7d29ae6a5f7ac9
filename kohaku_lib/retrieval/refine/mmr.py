"""Diversifies snippets by maximal marginal relevance."""

from __future__ import annotations

import numpy as np


def mmr_order(relevance: np.ndarray, vectors: np.ndarray, k: int, weight: float) -> np.ndarray:
    """Return the positions of n snippets: `k` selected by maximal marginal relevance, then the others in their order.

    Each selection maximises weight · relevance - (1 - weight) · its largest cosine to a previous selection (Carbonell
    and Goldstein, 1998). The first is the most relevant one; ties keep their order. `vectors` (n, dim) are
    L2-normalised; a zero row is similar to nothing. With at most `k` snippets the order is unchanged.

    >>> vectors = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    >>> mmr_order(np.array([1.0, 0.9, 0.5]), vectors, 2, 0.7).tolist()
    [0, 2, 1]
    """
    count = len(relevance)
    if count <= k:
        return np.arange(count)
    cosines = vectors @ vectors.T
    nearest = np.zeros(count)  # nothing is selected yet
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
    """Return scores relative to the best, from 0 to 1; ones if none is positive.

    >>> relative(np.array([0.8, 0.4, -0.1])).tolist()
    [1.0, 0.5, 0.0]
    """
    best = scores.max(initial=0.0)
    return np.clip(scores / best, 0.0, 1.0) if best > 0 else np.ones(len(scores))
