"""A ranking: rows of searched nodes with their scores, best first."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True)
class Scale:
    """The bounds for normalising the scores of a ranking."""

    least: float  # score assumed for rows that are not in the ranking
    width: float  # distance from no similarity to the maximum possible score


@dataclass(frozen=True, slots=True)
class ScoredRows:
    """Rows of the searched slice, best first, and the score of each."""

    rows: np.ndarray  # (k,) int64
    scores: np.ndarray  # (k,) float64, not increasing
    scale: Scale | None = None  # None if scores of different queries are not comparable

    def __len__(self) -> int:
        return len(self.rows)

    def head(self, count: int) -> ScoredRows:
        """Return the best `count` of the ranking."""
        return ScoredRows(self.rows[:count], self.scores[:count], self.scale)


RankingsByKind = tuple[ScoredRows, ...]  # of one query in one channel: one ranking per kind of node, fused separately


def by_kind(scores: np.ndarray, sentences: int, k: int, above: float = -np.inf) -> tuple[ScoredRows, ScoredRows]:
    """Return the best `k` sentences (the first `sentences` rows) and the best `k` paragraphs (the rest)."""
    paragraphs = top_ranked(scores[sentences:], k, above)
    return top_ranked(scores[:sentences], k, above), ScoredRows(paragraphs.rows + sentences, paragraphs.scores)


def top_ranked(scores: np.ndarray, k: int, above: float = -np.inf) -> ScoredRows:
    """Return the best `k` of those `scores` (n,) that are greater than `above`; equal scores keep the order of their rows.

    >>> top_ranked(np.array([0.2, 0.9, 0.2, -np.inf]), 3).rows.tolist()
    [1, 0, 2]
    """
    rows = np.flatnonzero((scores >= _lower_bound_of_kth(scores, k)) & (scores > above))
    best = rows[np.argsort(-scores[rows], kind="stable")][:k]
    return ScoredRows(best, scores[best].astype(np.float64))


def _lower_bound_of_kth(scores: np.ndarray, k: int) -> float:
    """Return a value that at least `k` scores reach, near the k-th best, at a fraction of the cost of a partition.

    If the maxima of k blocks reach it, so do k scores; four blocks per result keep it close to the k-th best.
    """
    size = len(scores) // max(4 * k, 1)
    if size < 2 or k == 0:
        return -np.inf
    blocks = len(scores) // size
    maxima = scores[: blocks * size].reshape(blocks, size).max(axis=1)
    return float(np.partition(maxima, blocks - k)[blocks - k])
