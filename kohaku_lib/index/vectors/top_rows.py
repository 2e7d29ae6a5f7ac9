"""Tiled top-k: the best rows of every query of a batch, selected while each tile of scores is in the cache."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

# Scores of the queries against the rows from `low` to `high`: (queries, high - low) float32, a fresh array each time.
ScoreTile = Callable[[int, int], np.ndarray]

TILE_SCORES = 2**22  # 16 MB: fits into the L3 cache beside the vectors
LEAST_ROWS = 2048  # matrix products over fewer rows are slower
LOWEST = np.finfo(np.float32).min  # the smallest finite score


@dataclass(frozen=True, slots=True)
class TopRows:
    """The best rows of each query, best first, ties by row."""

    rows: np.ndarray  # (queries, k) int64; padded with -1
    scores: np.ndarray  # (queries, k) float32; padded with minus infinity


def top_rows(score_tile: ScoreTile, queries: int, k: int, span: range, allowed: np.ndarray | None = None) -> TopRows:
    """Return the best `k` of the rows in `span` for each of `queries` according to `score_tile`.

    `allowed` (over all rows, bool; None: all) is applied before the selection. A query with only NaN scores has no results.
    There are min(k, len(span)) columns.

    >>> scores = np.array([[0.2, 0.9, 0.2, 0.5]], np.float32)
    >>> top_rows(lambda low, high: scores[:, low:high].copy(), 1, 3, range(4)).rows.tolist()
    [[1, 3, 0]]
    >>> top_rows(lambda low, high: scores[:, low:high].copy(), 1, 2, range(4), scores[0] < 0.9).rows.tolist()
    [[3, 0]]
    """
    best = _no_rows(queries, min(k, len(span)))
    if not best.rows.size:
        return best
    step = max(LEAST_ROWS, TILE_SCORES // queries)
    for start in range(span.start, span.stop, step):
        low, high = _trimmed(start, min(start + step, span.stop), allowed)
        if low < high:
            scores = score_tile(low, high)
            if allowed is not None:
                scores[:, ~allowed[low:high]] = -np.inf
            best = merge(best, _best_of_tile(scores, low, best))
    return best


def merge(first: TopRows, second: TopRows) -> TopRows:
    """Return the best of both, as many as `first` has columns; ties go to `first`, then to the earlier column."""
    scores = np.concatenate([first.scores, second.scores], axis=1)
    rows = np.concatenate([first.rows, second.rows], axis=1)
    order = np.argsort(-scores, axis=1, kind="stable")[:, : first.rows.shape[1]]
    return TopRows(np.take_along_axis(rows, order, axis=1), np.take_along_axis(scores, order, axis=1))


def _no_rows(queries: int, k: int) -> TopRows:
    return TopRows(np.full((queries, k), -1, np.int64), np.full((queries, k), -np.inf, np.float32))


def _trimmed(low: int, high: int, allowed: np.ndarray | None) -> tuple[int, int]:
    """Return the range from the first to the last allowed row, as the rows of a document are consecutive."""
    if allowed is None:
        return low, high
    found = np.flatnonzero(allowed[low:high])
    return (low + int(found[0]), low + int(found[-1]) + 1) if len(found) else (low, low)


def _best_of_tile(scores: np.ndarray, first_row: int, best: TopRows) -> TopRows:
    """Return all rows of a tile that may be among the best, by row."""
    bound = np.maximum(_bound(scores, best.rows.shape[1]), best.scores[:, -1])
    hits = np.flatnonzero(scores >= np.maximum(bound, LOWEST)[:, None])
    query, column = np.divmod(hits, scores.shape[1])
    counts = np.bincount(query, minlength=len(scores))
    place = np.arange(len(hits)) - np.repeat(np.cumsum(counts) - counts, counts)
    found = _no_rows(len(scores), int(counts.max()))
    found.rows[query, place] = column + first_row
    found.scores[query, place] = scores.ravel()[hits]
    return found


def _bound(scores: np.ndarray, k: int) -> np.ndarray:
    """Return a lower bound of the k-th best score of each query, close to it; (queries,).

    If the maxima of k groups reach it, so do k scores. Four groups per result keep it tight, at the cost of one vectorised
    pass; a full partition takes ten times as long.
    """
    queries, width = scores.shape
    size = width // max(4 * k, 512)
    if size < 2:
        return _exact_bound(scores, k)
    groups = width // size
    strides = (scores.strides[0], groups * scores.strides[1], scores.strides[1])
    grouped = np.lib.stride_tricks.as_strided(scores, (queries, size, groups), strides, writeable=False)
    return _exact_bound(grouped.max(axis=1), k)


def _exact_bound(scores: np.ndarray, k: int) -> np.ndarray:
    if scores.shape[1] <= k:
        return np.full(len(scores), -np.inf, np.float32)
    return np.partition(scores, -k, axis=1)[:, -k]
