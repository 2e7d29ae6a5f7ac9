"""Reranks nodes by how the queries of one question agree on them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from kohaku_lib.retrieval.ranked import Ranked

FREQUENCY_WEIGHT, TOTAL_WEIGHT = 0.4, 0.6
LEAST_FREQUENCY, LEAST_TOTAL = 1.0, 0.001


@dataclass(frozen=True, slots=True)
class Votes:
    """What the queries say about each node; all arrays are (nodes,), in the order of first appearance."""

    rows: np.ndarray
    frequency: np.ndarray  # number of queries that returned the node
    total: np.ndarray  # sum of its scores
    best: np.ndarray  # largest score


def consensus(rankings: Sequence[Ranked], strategy: str, *, dedup_first: bool = False) -> Ranked:
    """Return the nodes of the rankings of all queries, reranked.

    `frequency` sorts by (number of queries, summed score), `score` by the sum, `combined` by
    0.4 · frequency / max(frequencies, 1) + 0.6 · sum / max(sums, 0.001), where negative sums count as zero; `none`
    keeps the order of first appearance with the first score. Ties: larger best score, earlier appearance. The statistics are
    taken over all results; `dedup_first` keeps a node's first result only, as KohakuRAG did, so that all
    frequencies are 1.

    >>> first, second = Ranked(np.array([4, 5]), np.array([0.9, 0.6])), Ranked(np.array([5]), np.array([0.7]))
    >>> consensus([first, second], "frequency").rows.tolist()
    [5, 4]
    >>> consensus([first, second], "combined").scores.round(3).tolist()
    [1.0, 0.615]
    """
    votes = count_votes(_first_only(rankings) if dedup_first else rankings)
    if strategy == "none":
        first = count_votes(_first_only(rankings))
        return Ranked(first.rows, first.total)
    primary, secondary = _STRATEGIES[strategy](votes)
    order = np.lexsort((np.arange(len(votes.rows)), -votes.best, -secondary, -primary))
    return Ranked(votes.rows[order], primary[order])


def count_votes(rankings: Sequence[Ranked]) -> Votes:
    """Return frequency, sum and maximum of the scores of each node over the rankings of all queries."""
    all_rows = np.concatenate([np.empty(0, np.int64), *(ranked.rows for ranked in rankings)])
    scores = np.concatenate([np.empty(0), *(ranked.scores for ranked in rankings)])
    unique, first, inverse = np.unique(all_rows, return_index=True, return_inverse=True)
    frequency = np.bincount(inverse, minlength=len(unique)).astype(float)
    total = np.bincount(inverse, scores, minlength=len(unique))
    best = np.full(len(unique), -np.inf)
    np.maximum.at(best, inverse, scores)
    order = np.argsort(first)
    return Votes(unique[order], frequency[order], total[order], best[order])


def _first_only(rankings: Sequence[Ranked]) -> list[Ranked]:
    seen: set[int] = set()
    kept = []
    for ranked in rankings:
        fresh = np.array([row not in seen for row in ranked.rows.tolist()], bool)
        seen.update(ranked.rows.tolist())
        kept.append(Ranked(ranked.rows[fresh], ranked.scores[fresh]))
    return kept


def _combined(votes: Votes) -> tuple[np.ndarray, np.ndarray]:
    total = np.maximum(votes.total, 0.0)
    most, largest = votes.frequency.max(initial=LEAST_FREQUENCY), total.max(initial=LEAST_TOTAL)
    score = FREQUENCY_WEIGHT * votes.frequency / most + TOTAL_WEIGHT * total / largest
    return score, np.zeros(len(score))


_STRATEGIES: dict[str, Callable[[Votes], tuple[np.ndarray, np.ndarray]]] = {
    "frequency": lambda votes: (votes.frequency, votes.total),
    "score": lambda votes: (votes.total, np.zeros(len(votes.rows))),
    "combined": _combined,
}
