"""Clusters of bounded size, by repeated division along the principal direction."""

from __future__ import annotations

import numpy as np

POWER_STEPS = 10
LEAST_SHARE = 0.25  # of the rows, on either side of a division


def clusters_of(vectors: np.ndarray, most: int) -> list[np.ndarray]:
    """Return the rows of `vectors` (n, dim) in clusters of at most `most`, by the smallest row of each.

    A cluster that is too large is divided along its principal direction, where the squared distances to both means are
    least, with at least a quarter of it on each side. Principal direction divisive partitioning (Boley 1998), in
    O(n log n) and without a random start.

    >>> points = np.array([[1.0, 0.0], [0.0, 1.0], [0.9, 0.1], [0.1, 0.9]])
    >>> [rows.tolist() for rows in clusters_of(points, 2)]
    [[0, 2], [1, 3]]
    """
    pending = [np.arange(len(vectors))] if len(vectors) else []
    finished: list[np.ndarray] = []
    while pending:
        rows = pending.pop()
        if len(rows) <= most:
            finished.append(np.sort(rows))
        else:
            pending.extend(_divided(vectors, rows))
    return sorted(finished, key=lambda rows: int(rows[0]))


def _divided(vectors: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    centred = vectors[rows].astype(np.float64)
    centred -= centred.mean(axis=0)
    places = centred @ _principal_direction(centred)
    order = np.argsort(places, kind="stable")
    at = _best_division(places[order])
    return rows[order[:at]], rows[order[at:]]


def _principal_direction(centred: np.ndarray) -> np.ndarray:
    """Return the direction of the largest variance, by power iteration from the row farthest from the mean."""
    direction = centred[np.argmax(np.einsum("nd,nd->n", centred, centred))]
    for _ in range(POWER_STEPS):
        length = np.linalg.norm(direction)
        if length == 0:
            break
        direction = centred.T @ (centred @ (direction / length))
    length = np.linalg.norm(direction)
    return direction / length if length else direction


def _best_division(places: np.ndarray) -> int:
    """Return how many of the sorted `places` (n,) go to the left so that the squares between both means are largest."""
    n = len(places)
    if places[0] == places[-1]:
        return n // 2
    left = np.arange(1, n)
    sums = np.cumsum(places)[:-1]
    between = sums**2 / left + (places.sum() - sums) ** 2 / (n - left)
    least = max(1, int(LEAST_SHARE * n))
    return least + int(np.argmax(between[least - 1 : n - least]))
