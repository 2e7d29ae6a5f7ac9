"""Dense search: the cosine of every query with every searched node, in one matrix product per block."""

from __future__ import annotations

import numpy as np

from kohaku_lib.index import Snapshot
from kohaku_lib.retrieval.ranked import Ranked, by_kind

BLOCK = 256  # queries per product: bounds the score matrix to 256 rows


def dense_search(
    snapshot: Snapshot, queries: np.ndarray, k: int, mode: str = "averaged", threshold: float = -1.0
) -> list[tuple[Ranked, Ranked]]:
    """Return the `k` sentences and the `k` paragraphs nearest to each of `queries` (n, dim), by cosine.

    `mode` says which paragraph vectors count: averaged, full (direct ones, where the index has them) or both (the
    larger cosine). A zero vector is never returned. Results below `threshold` are left out, but the best one of all
    always stays.
    """
    found: list[tuple[Ranked, Ranked]] = []
    for start in range(0, len(queries), BLOCK):
        scores = dense_scores(snapshot, queries[start : start + BLOCK], mode)
        found.extend(by_kind(row, snapshot.sentences, k, _least(row, threshold)) for row in scores)
    return found


def dense_scores(snapshot: Snapshot, queries: np.ndarray, mode: str = "averaged") -> np.ndarray:
    """Return the cosine of each query with each searched node, (n, searched); minus infinity for a zero vector."""
    scores = queries @ snapshot.vectors("main")[: snapshot.searched].T
    scores[:, np.flatnonzero(~snapshot.search_norm_ok)] = -np.inf
    if mode != "averaged" and len(snapshot.vectors("para_full")):
        _use_full(snapshot, queries, scores, keep_averaged=mode == "both")
    return scores


def _use_full(snapshot: Snapshot, queries: np.ndarray, scores: np.ndarray, *, keep_averaged: bool) -> None:
    rows = snapshot.space_rows("para_full")
    columns = snapshot.search_row_of_node[rows.column("node_row").to_numpy()]
    usable = (columns >= 0) & np.asarray(rows.column("norm_ok").to_numpy(), bool)
    full = (queries @ snapshot.vectors("para_full").T)[:, usable]
    columns = columns[usable]
    scores[:, columns] = np.maximum(scores[:, columns], full) if keep_averaged else full


def _least(scores: np.ndarray, threshold: float) -> float:
    """Return what a score must exceed to reach `threshold`, or to be the best one where none reaches it."""
    if threshold <= -1.0 or not len(scores):
        return -np.inf
    return float(np.nextafter(min(scores.max(), scores.dtype.type(threshold)), -np.inf))
