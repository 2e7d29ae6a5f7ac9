"""Runs every query through every channel that has weight."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from kohaku_lib.errors import RetrievalError
from kohaku_lib.index import Snapshot
from kohaku_lib.index.graph import GremlinServer
from kohaku_lib.retrieval.concurrent_calls import run_concurrently
from kohaku_lib.retrieval.dense import dense_search
from kohaku_lib.retrieval.document_prior import document_priors
from kohaku_lib.retrieval.graph import graph_search
from kohaku_lib.retrieval.lexical import lexical_search
from kohaku_lib.retrieval.scored_rows import ScoredRows
from kohaku_lib.settings import LexicalSettings, RetrievalSettings

TRACED = 10
BATCH = 64  # queries that retrieval.channel_timeout_s is meant for; larger batches get more in proportion

Lists = tuple[ScoredRows, ...]  # what one query found in one channel: a ranking for each kind of node, fused apart


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
    org_id: str | None = None  # the tenant whose entities are followed; None: those of all, each within its own


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

    def ranks(self, rows: np.ndarray) -> list[dict[str, int]]:
        """Return the rank, from 1, of each of some searched rows (n,) in each channel that has it."""
        found: list[dict[str, int]] = [{} for _ in rows]
        for name, lists in self.lists.items():
            for ranked in lists:
                places, ranks = np.nonzero(rows[:, None] == ranked.rows)
                for place, rank in zip(places.tolist(), ranks.tolist(), strict=True):
                    found[place].setdefault(name, rank + 1)
        return found


@dataclass(frozen=True, slots=True)
class Found:
    """What all queries of a batch found, which channels failed and why, and what each of them took."""

    rankings: list[QueryRankings]
    failures: dict[str, str]
    timings_ms: dict[str, float]


def search_channels(search: Search, wanted: Sequence[Collection[str]] | None = None) -> Found:
    """Return what each query finds by the channels it wants, at most `k` results per ranking, all at the same time.

    `wanted` names the channels of each query; None: those that have weight. Rows that `allowed` leaves out are never
    found. Without words there is no prior either. A channel that fails or is late contributes nothing and is named;
    raises RetrievalError where all of them do.
    """
    if wanted is None:
        active = [name for name, weight in channel_weights(search.settings).items() if weight > 0]
        wanted = [active] * len(search.queries)
    places = {name: [at for at, names in enumerate(wanted) if name in names] for name in _CHANNELS}
    calls = {name: partial(_call, name, _part(search, at)) for name, at in places.items() if at}
    outcomes = run_concurrently(calls, _limit_s(search))
    failures = {name: outcome.failure for name, outcome in outcomes.items() if outcome.failure}
    if failures and len(failures) == len(outcomes):
        raise RetrievalError(_all_failed(failures))
    lists: list[dict[str, Lists]] = [{} for _ in search.queries]
    priors = [np.zeros(0)] * len(search.queries)
    for name, outcome in outcomes.items():
        if outcome.value is None:
            continue
        for at, found in zip(places[name], outcome.value.lists, strict=True):
            lists[at][name] = found
        for at, prior in zip(places[name], outcome.value.priors, strict=False):
            priors[at] = prior
    rankings = list(map(QueryRankings, search.queries, lists, priors))
    return Found(rankings, failures, {name: outcome.ms for name, outcome in outcomes.items()})


def channel_weights(settings: RetrievalSettings) -> dict[str, float]:
    """Return the weight of each channel, as far as the fusion reads it; one without weight is not searched.

    >>> channel_weights(RetrievalSettings(fusion="append", bm25_top_k=0, dense_weight=0.2))
    {'dense': 1.0, 'lexical': 0.0, 'graph': 0.0}
    """
    if settings.fusion == "append":
        return {"dense": 1.0, "lexical": 1.0 if settings.bm25_top_k else 0.0, "graph": 0.0}
    weights = {"dense": settings.dense_weight, "lexical": settings.lexical_weight, "graph": settings.graph_weight}
    return weights if settings.fusion != "rrf" else {"dense": 1.0, "lexical": 1.0, "graph": float(weights["graph"] > 0)}


@dataclass(frozen=True, slots=True)
class _Answer:
    lists: list[Lists]
    priors: list[np.ndarray]  # of the lexical channel, empty elsewhere


def _part(search: Search, places: Sequence[int]) -> Search:
    """Return the search for the queries at `places` alone."""
    if len(places) == len(search.queries):
        return search
    return replace(search, queries=[search.queries[at] for at in places], vectors=search.vectors[list(places)])


def _call(name: str, search: Search) -> _Answer:
    lists = _CHANNELS[name](search)
    if name != "lexical" or search.settings.document_weight == 0:
        return _Answer(lists, [])
    return _Answer(lists, document_priors(search.snapshot, search.queries, search.lexical, search.allowed))


def _limit_s(search: Search) -> float:
    return search.settings.channel_timeout_s * max(1.0, len(search.queries) / BATCH)


def _all_failed(failures: Mapping[str, str]) -> str:
    reasons = "; ".join(f"{name}: {why}" for name, why in failures.items())
    return f"no channel of the search gave an answer ({reasons}); mend the index, or raise retrieval.channel_timeout_s"


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
    title_weight = search.settings.title_weight
    return lexical_search(
        search.snapshot, search.queries, search.k, search.lexical, search.allowed, title_weight=title_weight
    )


def _graph(search: Search) -> list[Lists]:
    own = search.settings
    server = GremlinServer(own.graph_server, own.graph_server_timeout_s) if own.graph_server else None
    limits = (search.k, own.graph_hops, search.org_id, search.allowed)
    return graph_search(search.snapshot, search.queries, *limits, server)


_CHANNELS: dict[str, Callable[[Search], list[Lists]]] = {"dense": _dense, "lexical": _lexical, "graph": _graph}
