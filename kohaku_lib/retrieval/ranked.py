"""A ranking: rows of searched nodes with their scores, best first."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True)
class Ranked:
    """Rows of the searched slice, best first, and the score of each."""

    rows: np.ndarray  # (k,) int64
    scores: np.ndarray  # (k,) float64, not increasing

    def __len__(self) -> int:
        return len(self.rows)

    def head(self, count: int) -> Ranked:
        """Return the best `count` of the ranking."""
        return Ranked(self.rows[:count], self.scores[:count])


def top_ranked(scores: np.ndarray, k: int) -> Ranked:
    """Return the best `k` of `scores` (n,); equal scores stand in row order, minus infinity is never returned.

    >>> top_ranked(np.array([0.2, 0.9, 0.2, -np.inf]), 3).rows.tolist()
    [1, 0, 2]
    """
    k = min(k, len(scores))
    if k == 0:
        return Ranked(np.empty(0, np.int64), np.empty(0))
    least = np.partition(scores, len(scores) - k)[len(scores) - k]
    rows = np.flatnonzero(scores >= least) if least > -np.inf else np.flatnonzero(scores > -np.inf)
    # All rows that tie with the k-th best are sorted too, so that the cut does not depend on the partition.
    best = rows[np.argsort(-scores[rows], kind="stable")][:k]
    return Ranked(best, scores[best].astype(np.float64))


def by_kind(scores: np.ndarray, sentences: int, k: int) -> tuple[Ranked, Ranked]:
    """Return the best `k` sentences (the first `sentences` rows) and the best `k` paragraphs (the rest)."""
    paragraphs = top_ranked(scores[sentences:], k)
    return top_ranked(scores[:sentences], k), Ranked(paragraphs.rows + sentences, paragraphs.scores)
