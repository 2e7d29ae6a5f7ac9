"""The fusion that appends: the context is that of dense search, and the next results of BM25 stand behind it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from kohaku_lib.retrieval.channels.interface import ChannelKind
from kohaku_lib.retrieval.fusion.fuse import by_score
from kohaku_lib.retrieval.fusion.interface import FUSIONS, FusedRanking, FusionKind, QueryRankings
from kohaku_lib.retrieval.fusion.scored_rows import RankingsByKind, ScoredRows
from kohaku_lib.settings import RetrievalSettings


def fuse_dense_alone(
    lists: Mapping[str, RankingsByKind], weights: Mapping[str, float], settings: RetrievalSettings
) -> ScoredRows:
    """Return the ranking of the dense channel."""
    return by_score(lists.get("dense", ()))


def append_lexical(
    ranking: FusedRanking, rankings: Sequence[QueryRankings], settings: RetrievalSettings
) -> FusedRanking:
    """Return the ranking with the next `bm25_top_k` BM25 results at the end of its context."""
    if not settings.bm25_top_k:
        return ranking
    lexical = [by_score(query_rankings.lists.get("lexical", ())) for query_rankings in rankings]
    if settings.bm25_order == "query":
        heads = [ranking.head(settings.bm25_top_k) for ranking in lexical]
        lexical = [
            ScoredRows(np.concatenate([head.rows for head in heads]), np.concatenate([head.scores for head in heads]))
        ]
    return FusedRanking(*_append_to_context(ranking.nodes, ranking.context, lexical, settings.bm25_top_k))


def _append_to_context(
    nodes: ScoredRows, context: list[tuple[int, float]], lexical: Sequence[ScoredRows], count: int
) -> tuple[ScoredRows, list[tuple[int, float]]]:
    """Append the next `count` BM25 results to the context, with the lowest score of the context."""
    new_rows = append_round_robin(lexical, [row for row, _ in context], count)
    least = context[-1][1] if context else 0.0
    context = [*context, *((row, least) for row in new_rows)]
    front = np.array([row for row, _ in context], np.int64)
    is_outside = ~np.isin(nodes.rows, front)
    scores = np.concatenate([[score for _, score in context], np.minimum(nodes.scores[is_outside], least)])
    return ScoredRows(np.concatenate([front, nodes.rows[is_outside]]), scores), context


def append_round_robin(lists: Sequence[ScoredRows], present: Sequence[int], count: int) -> list[int]:
    """Return up to `count` rows of `lists` that are not `present`, taking the next new one of each list in turn.

    >>> lists = [ScoredRows(np.array([1, 2]), np.array([5.0, 4.0])), ScoredRows(np.array([3]), np.array([2.0]))]
    >>> append_round_robin(lists, present=[1], count=2)
    [3, 2]
    """
    used_rows = set(present)
    new_rows: list[int] = []
    for position in range(max(map(len, lists), default=0)):
        for ranking in lists:
            row = int(ranking.rows[position]) if position < len(ranking) else None
            if row is not None and row not in used_rows and len(new_rows) < count:
                used_rows.add(row)
                new_rows.append(row)
    return new_rows


def append_weight(channel: ChannelKind, settings: RetrievalSettings) -> float:
    """Return 1 for dense search, and for BM25 where its results are appended."""
    return {"dense": 1.0, "lexical": float(settings.bm25_top_k > 0)}.get(channel.name, 0.0)


FUSIONS.register(
    FusionKind(
        "append",
        fuse_dense_alone,
        ("bm25_top_k", "bm25_order"),
        append_weight,
        lambda channel: False,
        append_lexical,
        order=1,
    )
)
