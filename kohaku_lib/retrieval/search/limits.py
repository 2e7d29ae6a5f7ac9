"""Limits the results of a query to those that its plan and settings count."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from kohaku_lib.retrieval.channels.dense import drop_below
from kohaku_lib.retrieval.channels.interface import CHANNELS
from kohaku_lib.retrieval.fusion.interface import QueryRankings
from kohaku_lib.retrieval.fusion.scored_rows import RankingsByKind
from kohaku_lib.retrieval.search.prepare import PreparedPlan
from kohaku_lib.retrieval.search.search_channels import SEARCHED

DIGITS = 6


def limited(rankings: QueryRankings, prepared_plan: PreparedPlan) -> QueryRankings:
    """Return the rankings of a query with at most as many results per channel as its plan and settings say.

    A limit holds for each kind of node or, unless `candidates` is "ranked", for all kinds together.
    """
    limits = _channel_limits(prepared_plan)
    if prepared_plan.settings.intent_hints and "dense" in rankings.lists:
        # The batch is searched without a threshold, as each question has its own.
        near = drop_below(rankings.lists["dense"], prepared_plan.settings.threshold)
        rankings = replace(rankings, lists={**rankings.lists, "dense": near})
    if not limits:
        return rankings
    cut = first_of_each if prepared_plan.settings.candidates == "ranked" else first_together
    lists = {
        name: cut(by_kind, limits[name]) if name in limits else by_kind for name, by_kind in rankings.lists.items()
    }
    return replace(rankings, lists=lists)


def first_of_each(lists: RankingsByKind, k: int) -> RankingsByKind:
    """Return the best `k` of every ranking."""
    return tuple(ranking.head(k) for ranking in lists)


def first_together(lists: RankingsByKind, k: int) -> RankingsByKind:
    """Return what the first two of `lists` have among the best `k` of all.

    Scores that agree to six digits count as equal, in the order of the rows: a paragraph before the section that it fills,
    whose vector differs by rounding alone.

    >>> from kohaku_lib.retrieval.fusion.scored_rows import ScoredRows
    >>> sentences, paragraphs = ScoredRows(np.array([1, 0]), np.array([0.9, 0.4])), ScoredRows(np.array([5]), np.array([0.5]))
    >>> sections = ScoredRows(np.array([8]), np.array([0.7]))
    >>> [ranking.rows.tolist() for ranking in first_together((sentences, paragraphs, sections), 3)]
    [[1], [5]]
    """
    scores, rows = (np.concatenate([getattr(ranking, name) for ranking in lists]) for name in ("scores", "rows"))
    kinds = np.repeat(np.arange(len(lists)), [len(ranking) for ranking in lists])
    best = kinds[np.lexsort((rows, -scores.round(DIGITS)))[:k]]
    return tuple(ranking.head(int((best == kind).sum())) for kind, ranking in enumerate(lists[:SEARCHED]))


def _channel_limits(prepared_plan: PreparedPlan) -> dict[str, int]:
    settings, depth = prepared_plan.settings, prepared_plan.depth
    limits: dict[str, int] = {}
    if settings.candidates != "ranked":
        limits = dict.fromkeys(CHANNELS.names(), settings.top_k * depth)
        if settings.fusion == "append":
            limits["lexical"] = settings.bm25_top_k
    of_settings = {str(name): k * depth for name, k in settings.channel_top_k.items()}
    return limits | of_settings | dict(prepared_plan.plan.channel_top_k)
