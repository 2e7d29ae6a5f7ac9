"""Clusters of questions: those about one document are not independent and are resampled together."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

Clusters = Sequence[str | None]  # of each row; None: a cluster of its own


def resampling_units(clusters: Clusters) -> np.ndarray:
    """Return the number of the cluster with which each row is resampled, (n,), from 0 by first appearance.

    Where all rows are of one cluster nothing can be said of others, and every row is resampled by itself.

    >>> resampling_units(["a", None, "a", None]).tolist(), resampling_units(["a", "a"]).tolist()
    ([0, 1, 0, 2], [0, 1])
    """
    numbers = _cluster_numbers(clusters)
    return numbers if numbers.any() else np.arange(numbers.size)


def effective_clusters(clusters: Clusters) -> float:
    """Return Kish's effective number of clusters, (Σ n)² / Σ n²: their number if all are of one size; 0 without rows.

    >>> effective_clusters(["a", "a", "b", "b"]), effective_clusters(["a", "a", "a", None])
    (2.0, 1.6)
    """
    sizes = np.bincount(_cluster_numbers(clusters))
    return float(sizes.sum() ** 2 / (sizes**2).sum()) if sizes.size else 0.0


def _cluster_numbers(clusters: Clusters) -> np.ndarray:
    numbers: dict[str | int, int] = {}
    rows = [numbers.setdefault(cluster or place, len(numbers)) for place, cluster in enumerate(clusters)]
    return np.array(rows, dtype=np.int64)
