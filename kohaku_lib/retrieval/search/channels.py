"""Searches the active channels for a batch of queries."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from kohaku_lib.errors import RetrievalError
from kohaku_lib.index import Snapshot
from kohaku_lib.index.bm25.lexical_index import NO_FIELDS, FieldWeights
from kohaku_lib.kinds import CHANNELS, FUSIONS
from kohaku_lib.retrieval.fusion.scored_rows import RankingsByKind, Scale, ScoredRows, by_kind
from kohaku_lib.retrieval.search.concurrent_calls import Outcome, run_concurrently
from kohaku_lib.settings import LexicalSettings, RetrievalSettings

EmbedTokens = Callable[[Sequence[str]], Sequence[np.ndarray]]

TRACED = 10
SEARCHED = 2  # kinds of searched nodes: sentences and paragraphs
BATCH = 64  # number of queries for retrieval.channel_timeout_s; the timeout of larger batches is proportional


@dataclass(frozen=True, slots=True)
class Search:
    """One batch of queries with everything that a channel needs to search for them."""

    snapshot: Snapshot
    queries: Sequence[str]
    vectors: np.ndarray  # (queries, dim)
    k: int  # results per query and list
    settings: RetrievalSettings
    lexical: LexicalSettings
    allowed: np.ndarray | None = None  # (searched,) bool: the rows that may be found; None: all
    org_id: str | None = None  # the tenant whose entities are followed; None: all tenants, each separately
    embed_tokens: EmbedTokens | None = None  # texts → the vectors (tokens, dim) of each
    candidates: Sequence[
        np.ndarray
    ] = ()  # for channels that order these: the searched rows that others found, per query


@dataclass(frozen=True, slots=True)
class QueryRankings:
    """The rankings of one query by channel name."""

    query: str
    lists: Mapping[str, RankingsByKind]
    prior: np.ndarray  # (documents,) score of each document as a whole, 0 to 1; empty if unknown

    def trace(self, snapshot: Snapshot) -> dict[str, object]:
        """Return the query with the ids of the best nodes of each of its rankings."""
        query_trace: dict[str, object] = {"query": self.query}
        for name, lists in self.lists.items():
            heads = [snapshot.search_rows[ranking.head(TRACED).rows] for ranking in lists]
            query_trace[name] = [snapshot.column("node_id", rows) for rows in heads]
        return query_trace

    def ranks(self, rows: np.ndarray) -> list[dict[str, int]]:
        """Return the rank, from 1, of each of some searched rows (n,) in each channel that has it."""
        rank_by_channel: list[dict[str, int]] = [{} for _ in rows]
        for name, lists in self.lists.items():
            for ranking in lists:
                places, ranks = np.nonzero(rows[:, None] == ranking.rows)
                for place, rank in zip(places.tolist(), ranks.tolist(), strict=True):
                    rank_by_channel[place].setdefault(name, rank + 1)
        return rank_by_channel


@dataclass(frozen=True, slots=True)
class ChannelResults:
    """The rankings of all queries of a batch, the failures by channel, and the milliseconds of each channel."""

    rankings: list[QueryRankings]
    failures: dict[str, str]
    timings_ms: dict[str, float]


def search_channels(search: Search, channels: Sequence[Collection[str]] | None = None) -> ChannelResults:
    """Search the requested channels of each query concurrently; at most `k` results per ranking.

    Channels that order candidates are searched after the others, over what these found. A channel that fails or times out
    contributes nothing and is listed in the failures.

    Args:
        search: The queries; rows that `allowed` excludes are never found.
        channels: The names of the channels of each query; None: those with a weight above 0.

    Raises:
        RetrievalError: All channels fail.

    """
    if channels is None:
        active = [name for name, weight in channel_weights(search.settings).items() if weight > 0]
        channels = [active] * len(search.queries)
    lists: list[dict[str, RankingsByKind]] = [{} for _ in search.queries]
    priors = [np.zeros(0)] * len(search.queries)
    outcomes: dict[str, Outcome[_ChannelRankings]] = {}
    for orders_candidates in (False, True):
        names = [channel.name for channel in CHANNELS if channel.orders_candidates == orders_candidates]
        places = {name: [at for at, active in enumerate(channels) if name in active] for name in names}
        if orders_candidates and any(places.values()):
            search = replace(search, candidates=[_rows_in(by_channel) for by_channel in lists])
        calls = {name: partial(_search_channel, name, _search_of(search, at)) for name, at in places.items() if at}
        found = run_concurrently(calls, _limit_s(search))
        outcomes |= found
        failures = {name: outcome.failure for name, outcome in outcomes.items() if outcome.failure}
        if failures and len(failures) == len(outcomes):
            raise RetrievalError(_all_failed(failures))
        for name, outcome in found.items():
            _collect(outcome, name, places[name], lists, priors)
    rankings = list(map(QueryRankings, search.queries, lists, priors))
    return ChannelResults(rankings, failures, {name: outcome.ms for name, outcome in outcomes.items()})


def channel_weights(settings: RetrievalSettings) -> dict[str, float]:
    """Return the weight of each channel in the fusion; channels without weight are not searched.

    Example:
        >>> channel_weights(RetrievalSettings(fusion="append", bm25_top_k=0, dense_weight=0.2))
        {'dense': 1.0, 'lexical': 0.0, 'graph': 0.0, 'raptor': 0.0, 'lightrag': 0.0, 'late': 0.0}

    """
    return FUSIONS.get(settings.fusion).weights(settings)


@dataclass(frozen=True, slots=True)
class _ChannelRankings:
    lists: list[RankingsByKind]
    priors: list[np.ndarray]  # empty if the channel provides none


def _search_of(search: Search, places: Sequence[int]) -> Search:
    """Return the search for the queries at `places` alone."""
    if len(places) == len(search.queries):
        return search
    queries = [search.queries[at] for at in places]
    candidates = [search.candidates[at] for at in places] if search.candidates else ()
    return replace(search, queries=queries, vectors=search.vectors[list(places)], candidates=candidates)


def _collect(
    outcome: Outcome[_ChannelRankings],
    name: str,
    places: Sequence[int],
    lists: Sequence[dict[str, RankingsByKind]],
    priors: list[np.ndarray],
) -> None:
    """Add what the channel `name` found for the queries at `places`."""
    if outcome.value is None:
        return
    for at, query_lists in zip(places, outcome.value.lists, strict=True):
        lists[at][name] = query_lists
    for at, prior in zip(places, outcome.value.priors, strict=False):
        priors[at] = prior


def _rows_in(lists: Mapping[str, RankingsByKind]) -> np.ndarray:
    """Return the sentences and paragraphs that any channel found for a query, sorted."""
    rankings = [ranking.rows for by_kind in lists.values() for ranking in by_kind[:SEARCHED]]
    return np.unique(np.concatenate([np.zeros(0, np.int64), *rankings]))


def _search_channel(name: str, search: Search) -> _ChannelRankings:
    channel = CHANNELS.get(name)
    lists = channel.search(search)
    return _ChannelRankings(lists, channel.document_priors(search) if channel.document_priors else [])


def _limit_s(search: Search) -> float:
    return search.settings.channel_timeout_s * max(1.0, len(search.queries) / BATCH)


def _all_failed(failures: Mapping[str, str]) -> str:
    reasons = "; ".join(f"{name}: {why}" for name, why in failures.items())
    return f"all channels of the search failed ({reasons}); repair the index, or raise retrieval.channel_timeout_s"


def search_lexical(search: Search) -> list[RankingsByKind]:
    """Return the rankings of each query of `search` by BM25."""
    return lexical_search(
        search.snapshot, search.queries, search.k, search.lexical, search.allowed, field_weights(search.settings)
    )


def field_weights(settings: RetrievalSettings) -> FieldWeights:
    """Return how much titles and headings count in BM25."""
    return FieldWeights(settings.title_weight, settings.heading_weight)


def lexical_search(
    snapshot: Snapshot,
    queries: Sequence[str],
    k: int,
    settings: LexicalSettings,
    allowed: np.ndarray | None = None,
    weights: FieldWeights = NO_FIELDS,
) -> list[RankingsByKind]:
    """Return the `k` best sentences and the `k` best paragraphs of each query by BM25.

    Rows that `allowed` (searched, bool; None: all) excludes are never returned. Both are empty for a query without a
    known term. `weights` say how much a word in titles and headings counts. Query text is never interpreted as search syntax.
    """
    rankings: list[RankingsByKind] = []
    for query in queries:
        terms = snapshot.lexical.terms(query, settings)
        scores = snapshot.lexical.scores(terms, weights)
        kinds = by_kind(scores if allowed is None else np.where(allowed, scores, 0.0), snapshot.sentences, k, above=0.0)
        widths = snapshot.lexical.most(terms)
        rankings.append(tuple(_on_scale(ranking, k, width) for ranking, width in zip(kinds, widths, strict=True)))
    return rankings


def _on_scale(ranking: ScoredRows, k: int, width: float) -> ScoredRows:
    """Return the ranking with its scale; if it has fewer than `k` rows, the others contain no term of the query."""
    least = float(ranking.scores[-1]) if len(ranking) == k else 0.0
    return ScoredRows(ranking.rows, ranking.scores, Scale(least, width))
