"""The LightRAG channel: texts about the entities of a query (the low level) and about its themes (the high level)."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from kohaku_lib.index.groups import GroupIndex
from kohaku_lib.retrieval.channels.graph import AT_ONCE, find_keywords
from kohaku_lib.retrieval.channels.grouped_nodes import NOTHING, rankings_by_kind, rows_in_groups
from kohaku_lib.retrieval.channels.interface import CHANNELS, ChannelKind, Search
from kohaku_lib.retrieval.fusion.scored_rows import RankingsByKind

NEIGHBOURS = 1  # relations from an entity of the query to others


def search_lightrag(search: Search) -> list[RankingsByKind]:
    """Return the `k` best sentences and the `k` best paragraphs of each query of `search`, by both levels alike.

    Low: entities that the query names and their neighbours; the score is a share of that of a text which mentions the rarest
    match of every name. High: the `k` nearest themes; the score is the mean of the cosines of the text and of its theme, a
    paragraph's that of its best sentence. Nothing is found in an index without themes.
    """
    themes = search.snapshot.lightrag
    if themes is None:
        return [NOTHING] * len(search.queries)
    scores = np.zeros(search.snapshot.searched)
    rankings: list[RankingsByKind] = []
    for start in range(0, len(search.queries), AT_ONCE):
        for query, (rows, low) in enumerate(_low_level(search, start), start):
            scores[:] = 0.0
            scores[rows] = low / 2
            _add_high_level(scores, search, themes, search.vectors[query])
            found = np.flatnonzero(scores)
            rankings.append(rankings_by_kind(search, found, scores[found]))
    return rankings


def _low_level(search: Search, start: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return the searched rows and their scores, from 0 to 1, for each of AT_ONCE queries."""
    snapshot, queries = search.snapshot, search.queries[start : start + AT_ONCE]
    keywords = [keyword for number, query in enumerate(queries) for keyword in find_keywords(query, number)]
    hits = snapshot.graph.search(keywords, NEIGHBOURS, search.org_id)
    shares = np.divide(hits.scores, hits.most, out=np.zeros(len(hits.scores)), where=hits.most > 0)
    rows = snapshot.search_row_of_node[hits.node_rows].astype(np.int64)
    bounds = np.searchsorted(hits.queries, np.arange(len(queries) + 1))
    own = (low + np.flatnonzero(rows[low:high] >= 0) for low, high in pairwise(bounds.tolist()))
    return [(rows[at], np.minimum(shares[at], 1.0)) for at in own]


def _add_high_level(scores: np.ndarray, search: Search, themes: GroupIndex, vector: np.ndarray) -> None:
    """Add half of the scores by themes to `scores` (searched,)."""
    rows, by_theme = rows_in_groups(search, themes, vector)
    high = np.zeros(len(scores))
    high[rows] = np.maximum(by_theme, 0.0)
    parents = search.snapshot.search_parents[rows]
    np.maximum.at(high, parents[parents >= 0], high[rows][parents >= 0])
    scores += high / 2


CHANNELS.register(
    ChannelKind(
        "lightrag",
        search_lightrag,
        weight_key="lightrag_weight",
        switch="lightrag.enabled",
        order=5,
    )
)
