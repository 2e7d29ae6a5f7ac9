"""The RAPTOR channel: the paragraphs below the summaries that are nearest to a query, of all levels."""

from __future__ import annotations

from kohaku_lib.retrieval.channels.grouped_nodes import NOTHING, rankings_by_kind, rows_in_groups
from kohaku_lib.retrieval.channels.interface import CHANNELS, ChannelKind, Search
from kohaku_lib.retrieval.fusion.scored_rows import RankingsByKind


def search_raptor(search: Search) -> list[RankingsByKind]:
    """Return the `k` best paragraphs of each query of `search`, below its `k` nearest summaries.

    The score of a paragraph is the mean of its own cosine and the largest one of a summary above it. Summaries guide the
    search but are no results, as they cannot be cited. Nothing is found in an index without summaries.
    """
    groups = search.snapshot.raptor
    if groups is None:
        return [NOTHING] * len(search.queries)
    found = (rows_in_groups(search, groups, vector) for vector in search.vectors)
    return [rankings_by_kind(search, rows, scores) for rows, scores in found]


CHANNELS.register(
    ChannelKind(
        "raptor",
        search_raptor,
        weight_key="raptor_weight",
        switch="raptor.enabled",
        order=4,
    )
)
