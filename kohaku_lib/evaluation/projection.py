"""Projections of vectors onto a plane for visualisation."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from kohaku_lib.errors import KohakuError

Method = Literal["pca", "tsne"]
_PERPLEXITY = 30.0


def project_vectors(vectors: np.ndarray, method: Method = "pca", seed: int = 0) -> np.ndarray:
    """Return `vectors`, (n, dim), on a plane, (n, 2) float64; fewer than three are always projected by PCA.

    `pca` uses the two directions of greatest variance, each with its largest loading positive, so that the result is
    deterministic. `tsne` has perplexity 30, less for few vectors.

    Raises:
        KohakuError: `tsne` without scikit-learn.

    Example:
        >>> project_vectors(np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 0.5]])).round(2).tolist()
        [[1.0, -0.17], [-1.0, -0.17], [0.0, 0.33]]

    """
    if method == "pca" or len(vectors) < 3:
        return _pca(vectors)
    try:
        return np.asarray(_tsne(vectors, seed), np.float64)
    except ImportError as error:
        msg = "the map by 'tsne' needs the [map] extra; run pip install 'kohaku[map]', or choose 'pca'"
        raise KohakuError(msg) from error


def _pca(vectors: np.ndarray) -> np.ndarray:
    centred = np.asarray(vectors, np.float64) - (vectors.mean(axis=0) if len(vectors) else 0.0)
    found = np.zeros((len(vectors), 2))
    if not len(vectors):
        return found
    axes = np.linalg.svd(centred, full_matrices=False)[2][:2]
    signs = np.sign(axes[np.arange(len(axes)), np.abs(axes).argmax(axis=1)])
    found[:, : len(axes)] = centred @ (axes * signs[:, None]).T
    return found


def _tsne(vectors: np.ndarray, seed: int) -> Any:
    from sklearn.manifold import TSNE

    perplexity = min(_PERPLEXITY, (len(vectors) - 1) / 3)
    return TSNE(2, perplexity=perplexity, init="pca", random_state=seed, metric="cosine").fit_transform(vectors)
