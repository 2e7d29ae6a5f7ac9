"""Searches the active channels for a batch of queries."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from kohaku_lib.errors import RetrievalError
from kohaku_lib.retrieval.channels.interface import CHANNELS, Search
from kohaku_lib.retrieval.fusion.interface import FUSIONS, QueryRankings
from kohaku_lib.retrieval.fusion.scored_rows import RankingsByKind
from kohaku_lib.retrieval.search.concurrent_calls import Outcome, run_concurrently
from kohaku_lib.settings import RetrievalSettings

SEARCHED = 2  # kinds of searched nodes: sentences and paragraphs
BATCH = 64  # number of queries for retrieval.channel_timeout_s; the timeout of larger batches is proportional


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
