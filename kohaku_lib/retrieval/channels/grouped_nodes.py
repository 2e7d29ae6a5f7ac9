"""What channels that search groups of nodes share: the nodes of the nearest groups, and their rankings by kind."""

from __future__ import annotations

import numpy as np

from kohaku_lib.index.groups import GroupIndex
from kohaku_lib.retrieval.channels.interface import Search
from kohaku_lib.retrieval.fusion.scored_rows import RankingsByKind, Scale, ScoredRows

NOTHING: RankingsByKind = (ScoredRows(np.zeros(0, np.int64), np.zeros(0)),) * 2
LARGEST = 1.0


def rows_in_groups(search: Search, groups: GroupIndex, vector: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the searched rows of the `k` groups nearest to a query's `vector`, and the score of each.

    That is the mean of the cosines of the row and of the nearest group that it is in.
    """
    if not vector.any():  # such a query is near to nothing
        return np.zeros(0, np.int64), np.zeros(0)
    hits = groups.search(vector, search.k)
    rows = search.snapshot.search_row_of_node[hits.node_rows].astype(np.int64)
    is_searched = rows >= 0
    rows, cosines = rows[is_searched], hits.cosines[is_searched]
    own = (search.snapshot.vectors()[rows] @ vector).astype(np.float64)
    return rows, (own + cosines) / 2


def rankings_by_kind(search: Search, rows: np.ndarray, scores: np.ndarray) -> RankingsByKind:
    """Return the `k` best sentences and the `k` best paragraphs of `rows` with `scores` above 0 that may be found."""
    usable = scores > 0 if search.allowed is None else (scores > 0) & search.allowed[rows]
    is_sentence = rows < search.snapshot.sentences
    first, second = (
        _ranking(rows[usable & kind], scores[usable & kind], search.k) for kind in (is_sentence, ~is_sentence)
    )
    return first, second


def _ranking(rows: np.ndarray, scores: np.ndarray, k: int) -> ScoredRows:
    """Return the ranking with its scale; if it has fewer than `k` rows, nothing is known of the others."""
    order = np.lexsort((rows, -scores))[:k]
    least = float(scores[order[-1]]) if len(order) == k else 0.0
    return ScoredRows(rows[order], scores[order], Scale(least, LARGEST))
