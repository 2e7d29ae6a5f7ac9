"""Ranks nodes by the consensus of the queries of one question."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from kohaku_lib.retrieval.fusion.fuse import reciprocal_rank_fusion
from kohaku_lib.retrieval.fusion.interface import CONSENSUS, ConsensusKind
from kohaku_lib.retrieval.fusion.scored_rows import ScoredRows
from kohaku_lib.settings import RetrievalSettings

FREQUENCY_WEIGHT, TOTAL_WEIGHT = 0.4, 0.6
LEAST_FREQUENCY, LEAST_TOTAL = 1.0, 0.001


@dataclass(frozen=True, slots=True)
class Votes:
    """The votes of the queries for each node; all arrays are (nodes,), in the order of first appearance."""

    rows: np.ndarray
    frequency: np.ndarray  # summed weight of the queries that returned the node
    total: np.ndarray  # sum of its weighted scores
    best: np.ndarray  # largest weighted score


def by_frequency(rankings: Sequence[ScoredRows], weights: Sequence[float], settings: RetrievalSettings) -> ScoredRows:
    """Return the nodes by the weight of the queries that found them, then by their summed scores.

    Example:
        >>> first, second = ScoredRows(np.array([4, 5]), np.array([0.9, 0.6])), ScoredRows(np.array([5]), np.array([0.7]))
        >>> by_frequency([first, second], [1.0, 1.0], RetrievalSettings()).rows.tolist()
        [5, 4]

    """
    return _rank_by_votes(rankings, weights, settings, lambda votes: (votes.frequency, votes.total))


def by_score(rankings: Sequence[ScoredRows], weights: Sequence[float], settings: RetrievalSettings) -> ScoredRows:
    """Return the nodes by their summed scores."""
    return _rank_by_votes(rankings, weights, settings, lambda votes: (votes.total, np.zeros(len(votes.rows))))


def by_both(rankings: Sequence[ScoredRows], weights: Sequence[float], settings: RetrievalSettings) -> ScoredRows:
    """Return the nodes by 0.4 · frequency / max(frequencies, 1) + 0.6 · sum / max(sums, 0.001); negative sums are zero.

    Example:
        >>> first, second = ScoredRows(np.array([4, 5]), np.array([0.9, 0.6])), ScoredRows(np.array([5]), np.array([0.7]))
        >>> by_both([first, second], [1.0, 1.0], RetrievalSettings()).scores.round(3).tolist()
        [1.0, 0.615]

    """
    return _rank_by_votes(rankings, weights, settings, _combined_keys)


def by_rank(rankings: Sequence[ScoredRows], weights: Sequence[float], settings: RetrievalSettings) -> ScoredRows:
    """Return the nodes by their ranks alone."""
    return reciprocal_rank_fusion(rankings, weights, settings.rrf_k)


def in_order(rankings: Sequence[ScoredRows], weights: Sequence[float], settings: RetrievalSettings) -> ScoredRows:
    """Return the nodes in the order of the queries; duplicates are kept only if `deduplicate` is off."""
    return _concatenate_rankings(_first_only(rankings) if settings.deduplicate else rankings)


def _rank_by_votes(
    rankings: Sequence[ScoredRows],
    weights: Sequence[float],
    settings: RetrievalSettings,
    keys_of: Callable[[Votes], tuple[np.ndarray, np.ndarray]],
) -> ScoredRows:
    """Return the nodes by two keys, larger first; ties: larger best score, earlier appearance.

    With `dedup_first` (and `deduplicate`) only the first result of each node is counted, like in KohakuRAG, so that all
    frequencies are 1.
    """
    is_first_only = settings.dedup_first and settings.deduplicate
    votes = count_votes(_first_only(rankings) if is_first_only else rankings, weights)
    primary, secondary = keys_of(votes)
    order = np.lexsort((np.arange(len(votes.rows)), -votes.best, -secondary, -primary))
    return ScoredRows(votes.rows[order], primary[order])


def count_votes(rankings: Sequence[ScoredRows], weights: Sequence[float] | None = None) -> Votes:
    """Return frequency, sum and maximum of the scores of each node over the rankings of all queries, each weighted."""
    of_query = np.repeat(np.ones(len(rankings)) if weights is None else np.array(weights), [len(r) for r in rankings])
    results = _concatenate_rankings(rankings)
    all_rows, scores = results.rows, results.scores
    unique, first, inverse = np.unique(all_rows, return_index=True, return_inverse=True)
    frequency = np.bincount(inverse, of_query, minlength=len(unique))
    total = np.bincount(inverse, of_query * scores, minlength=len(unique))
    best = np.full(len(unique), -np.inf)
    np.maximum.at(best, inverse, of_query * scores)
    order = np.argsort(first)
    return Votes(unique[order], frequency[order], total[order], best[order])


def _concatenate_rankings(rankings: Sequence[ScoredRows]) -> ScoredRows:
    """Return the results of all queries in order."""
    rows = np.concatenate([np.empty(0, np.int64), *(ranking.rows for ranking in rankings)])
    return ScoredRows(rows, np.concatenate([np.empty(0), *(ranking.scores for ranking in rankings)]))


def _first_only(rankings: Sequence[ScoredRows]) -> list[ScoredRows]:
    earlier_rows: set[int] = set()
    first_results = []
    for ranking in rankings:
        is_first = np.array([row not in earlier_rows for row in ranking.rows.tolist()], bool)
        earlier_rows.update(ranking.rows.tolist())
        first_results.append(ScoredRows(ranking.rows[is_first], ranking.scores[is_first]))
    return first_results


def _combined_keys(votes: Votes) -> tuple[np.ndarray, np.ndarray]:
    total = np.maximum(votes.total, 0.0)
    most, largest = votes.frequency.max(initial=LEAST_FREQUENCY), total.max(initial=LEAST_TOTAL)
    score = FREQUENCY_WEIGHT * votes.frequency / most + TOTAL_WEIGHT * total / largest
    return score, np.zeros(len(score))


CONSENSUS.register(ConsensusKind("frequency", by_frequency))
CONSENSUS.register(ConsensusKind("score", by_score))
CONSENSUS.register(ConsensusKind("combined", by_both))
CONSENSUS.register(ConsensusKind("rrf", by_rank, ("rrf_k", "dedup_first", "planned_query_weight")))
CONSENSUS.register(ConsensusKind("none", in_order, ("deduplicate",), orders_by_score=False))
