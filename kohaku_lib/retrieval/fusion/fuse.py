"""Fuses the rankings of several channels into one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from kohaku_lib.retrieval.fusion.interface import FUSIONS, FusionKind, equal_weight
from kohaku_lib.retrieval.fusion.scored_rows import RankingsByKind, ScoredRows
from kohaku_lib.settings import RetrievalSettings


def fuse_by_rank(
    lists: Mapping[str, RankingsByKind], weights: Mapping[str, float], settings: RetrievalSettings
) -> ScoredRows:
    """Fuse the rankings of all channels by rank, within each kind of node or within the channel."""
    if settings.rank_lists == "channel":
        lists = {name: (by_score(by_kind),) for name, by_kind in lists.items()}
    return reciprocal_rank_fusion(*_rankings_and_weights(lists, weights), settings.rrf_k)


def fuse_by_minmax(
    lists: Mapping[str, RankingsByKind], weights: Mapping[str, float], settings: RetrievalSettings
) -> ScoredRows:
    """Fuse the rankings of all channels by min-max-scaled scores."""
    return minmax_fusion(*_rankings_and_weights(lists, weights))


def fuse_by_bounds(
    lists: Mapping[str, RankingsByKind], weights: Mapping[str, float], settings: RetrievalSettings
) -> ScoredRows:
    """Fuse the rankings of all channels by scores relative to the maximum possible score."""
    return bounded_fusion(*_rankings_and_weights(lists, weights))


def by_score(rankings: RankingsByKind) -> ScoredRows:
    """Return sentences and paragraphs as one ranking by score; equal scores keep the order of their rows."""
    rows = np.concatenate([np.empty(0, np.int64), *(ranking.rows for ranking in rankings)])
    scores = np.concatenate([np.empty(0), *(ranking.scores for ranking in rankings)])
    order = np.lexsort((rows, -scores))
    return ScoredRows(rows[order], scores[order])


def _rankings_and_weights(
    lists: Mapping[str, RankingsByKind], weights: Mapping[str, float]
) -> tuple[list[ScoredRows], list[float]]:
    """Return the rankings of all channels and kinds of nodes, and the weight of each."""
    rankings = [ranking for by_kind in lists.values() for ranking in by_kind]
    return rankings, [weights[name] for name, by_kind in lists.items() for _ in by_kind]


def reciprocal_rank_fusion(channels: Sequence[ScoredRows], weights: Sequence[float], k: int) -> ScoredRows:
    """Return the nodes of all channels by Σ weight / (k + rank), ranks from 1.

    Ties: more channels first, then the better best rank, then the smaller row. After Cormack, Clarke and Büttcher
    (2009), with weights.

    >>> first, second = ScoredRows(np.array([7, 3]), np.array([0.9, 0.8])), ScoredRows(np.array([3]), np.array([12.0]))
    >>> fused = reciprocal_rank_fusion([first, second], [1.0, 1.0], 60)
    >>> fused.rows.tolist(), fused.scores.round(4).tolist()
    ([3, 7], [0.0325, 0.0164])
    """
    rows = _union_rows(channels)
    total, count, best = np.zeros(len(rows)), np.zeros(len(rows)), np.full(len(rows), np.inf)
    for channel, weight in zip(channels, weights, strict=True):
        at = np.searchsorted(rows, channel.rows)
        ranks = np.arange(1, len(channel) + 1)
        total[at] += weight / (k + ranks)
        count[at] += 1
        best[at] = np.minimum(best[at], ranks)
    order = np.lexsort((rows, best, -count, -total))
    return ScoredRows(rows[order], total[order])


def minmax_fusion(channels: Sequence[ScoredRows], weights: Sequence[float]) -> ScoredRows:
    """Return the nodes of all channels by the weighted mean of their scores, each channel scaled to [0, 1].

    The best node of a channel gets 1, its last one and missing ones 0; equal scores all get 1. Ties: the smaller row
    first. If all weights are 0, so are the results.

    >>> first, second = ScoredRows(np.array([7, 3]), np.array([0.9, 0.8])), ScoredRows(np.array([3]), np.array([12.0]))
    >>> fused = minmax_fusion([first, second], [0.25, 0.75])
    >>> fused.rows.tolist(), fused.scores.tolist()
    ([3, 7], [0.75, 0.25])
    """
    rows = _union_rows(channels)
    total, weight_sum = np.zeros(len(rows)), sum(weights) or 1.0
    for channel, weight in zip(channels, weights, strict=True):
        total[np.searchsorted(rows, channel.rows)] += weight / weight_sum * scaled(channel.scores)
    order = np.lexsort((rows, -total))
    return ScoredRows(rows[order], total[order])


def bounded_fusion(channels: Sequence[ScoredRows], weights: Sequence[float]) -> ScoredRows:
    """Return the nodes of all channels by the weighted mean of their scores, each relative to the possible maximum.

    A channel's scores are measured from `scale.least`, which is also assumed for missing nodes, in units of
    `scale.width`; so a poorly matched query has little influence. A channel without a scale is min-max-scaled. Ties:
    the smaller row first. After Bruch, Gai and Ingber, "An Analysis of Fusion Functions for Hybrid Retrieval" (2023).

    >>> from kohaku_lib.retrieval.fusion.scored_rows import Scale
    >>> dense = ScoredRows(np.array([7, 3]), np.array([0.9, 0.8]), Scale(least=0.8, width=1.0))
    >>> lexical = ScoredRows(np.array([3]), np.array([6.0]), Scale(least=0.0, width=24.0))
    >>> fused = bounded_fusion([dense, lexical], [0.5, 0.5])
    >>> fused.rows.tolist(), fused.scores.round(4).tolist()
    ([3, 7], [0.125, 0.05])
    """
    rows = _union_rows(channels)
    total, weight_sum = np.zeros(len(rows)), sum(weights) or 1.0
    for channel, weight in zip(channels, weights, strict=True):
        shares = scaled(channel.scores)
        if channel.scale is not None:
            shares = (channel.scores - channel.scale.least) / (channel.scale.width or 1.0)
        total[np.searchsorted(rows, channel.rows)] += weight / weight_sum * shares
    order = np.lexsort((rows, -total))
    return ScoredRows(rows[order], total[order])


def scaled(scores: np.ndarray) -> np.ndarray:
    """Return scores scaled to [0, 1]; ones if all are equal."""
    if not len(scores):
        return scores
    low, high = scores.min(), scores.max()
    return (scores - low) / (high - low) if high > low else np.ones(len(scores))


def _union_rows(channels: Sequence[ScoredRows]) -> np.ndarray:
    return np.unique(np.concatenate([np.empty(0, np.int64), *(channel.rows for channel in channels)]))


FUSIONS.register(FusionKind("rrf", fuse_by_rank, ("rrf_k", "rank_lists"), equal_weight))
FUSIONS.register(FusionKind("weighted_rrf", fuse_by_rank, ("rrf_k", "rank_lists")))
FUSIONS.register(FusionKind("minmax", fuse_by_minmax))
FUSIONS.register(FusionKind("bounded", fuse_by_bounds))
