"""Runs every query through every channel that has weight."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from kohaku_lib.index import Snapshot
from kohaku_lib.retrieval.dense import dense_search
from kohaku_lib.retrieval.document_prior import document_priors
from kohaku_lib.retrieval.lexical import lexical_search
from kohaku_lib.retrieval.ranked import Ranked
from kohaku_lib.settings import LexicalSettings, RetrievalSettings

TRACED = 10

Lists = tuple[Ranked, ...]  # what one query found in one channel: a ranking for each kind of node, fused apart


@dataclass(frozen=True, slots=True)
class Search:
    """One batch of queries, as every channel gets it."""

    snapshot: Snapshot
    queries: Sequence[str]
    vectors: np.ndarray  # (queries, dim)
    k: int  # results per query and list
    settings: RetrievalSettings
    lexical: LexicalSettings
    allowed: np.ndarray | None = None  # searched rows that may be found, bool; None: all


@dataclass(frozen=True, slots=True)
class QueryRankings:
    """What one query found: the rankings of each channel that was searched, by the channel's name."""

    query: str
    lists: Mapping[str, Lists]
    prior: np.ndarray  # (documents,) how well each document fits as a whole, 0 to 1; empty where not asked

    def trace(self, snapshot: Snapshot) -> dict[str, object]:
        """Return the query with the ids of the best nodes of each of its rankings."""
        found: dict[str, object] = {"query": self.query}
        for name, lists in self.lists.items():
            heads = [snapshot.search_rows[ranked.head(TRACED).rows] for ranked in lists]
            found[name] = [snapshot.column("node_id", rows) for rows in heads]
        return found


def search_channels(search: Search) -> list[QueryRankings]:
    """Return what each query finds by each channel that has weight, at most `k` results per ranking.

    Rows that `allowed` leaves out are never found. Without words there is no prior either.
    """
    weights = channel_weights(search.settings)
    found = {name: _CHANNELS[name](search) for name, weight in weights.items() if weight > 0}
    priors = [np.zeros(0)] * len(search.queries)
    if search.settings.document_weight > 0 and "lexical" in found:
        priors = document_priors(search.snapshot, search.queries, search.lexical, search.allowed)
    return [
        QueryRankings(query, {name: lists[place] for name, lists in found.items()}, priors[place])
        for place, query in enumerate(search.queries)
    ]


def channel_weights(settings: RetrievalSettings) -> dict[str, float]:
    """Return the weight of each channel, as far as the fusion reads it; one without weight is not searched.

    >>> channel_weights(RetrievalSettings(fusion="append", bm25_top_k=0, dense_weight=0.2))
    {'dense': 1.0, 'lexical': 0.0}
    """
    if settings.fusion == "append":
        return {"dense": 1.0, "lexical": 1.0 if settings.bm25_top_k else 0.0}
    weights = {"dense": settings.dense_weight, "lexical": settings.lexical_weight}
    return dict.fromkeys(weights, 1.0) if settings.fusion == "rrf" else weights


def _dense(search: Search) -> list[Lists]:
    settings = search.settings
    return dense_search(
        search.snapshot,
        search.vectors,
        search.k,
        mode=settings.paragraph_search_mode,
        threshold=settings.threshold,
        allowed=search.allowed,
        rescore=settings.rescore,
    )


def _lexical(search: Search) -> list[Lists]:
    return lexical_search(search.snapshot, search.queries, search.k, search.lexical, search.allowed)


_CHANNELS: dict[str, Callable[[Search], list[Lists]]] = {"dense": _dense, "lexical": _lexical}
