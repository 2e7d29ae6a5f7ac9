"""The interfaces of fusions, which join the rankings of channels, and of consensus, which joins those of queries."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from kohaku_lib.index import Snapshot
from kohaku_lib.registry import Registry
from kohaku_lib.retrieval.channels.interface import CHANNELS, ChannelKind
from kohaku_lib.retrieval.fusion.scored_rows import RankingsByKind, ScoredRows
from kohaku_lib.settings import RetrievalSettings

TRACED = 10


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
class FusedRanking:
    """All ranked nodes (searched rows), and those that enter the context with their scores, both best first."""

    nodes: ScoredRows
    context: list[tuple[int, float]]
    lifts: tuple[tuple[int, float], ...] = ()  # paragraphs (searched rows) that a hop lifted most, and by how much


def own_weight(channel: ChannelKind, settings: RetrievalSettings) -> float:
    """Return the weight of the channel as it is set."""
    return channel.weight(settings)


def equal_weight(channel: ChannelKind, settings: RetrievalSettings) -> float:
    """Return 1 for a channel with any weight."""
    return float(channel.weight(settings) > 0)


@dataclass(frozen=True, slots=True)
class FusionKind:
    """A way to join the rankings of the channels, with the weights that `weigh` gives them.

    `settings_keys` are the fields of RetrievalSettings that it reads, beside the weights of channels that
    `reads_weight` names. `extend` may add to the ranking of the whole question afterwards.
    """

    name: str
    fuse: Callable[[Mapping[str, RankingsByKind], Mapping[str, float], RetrievalSettings], ScoredRows]
    settings_keys: tuple[str, ...] = ()
    weigh: Callable[[ChannelKind, RetrievalSettings], float] = own_weight
    reads_weight: Callable[[ChannelKind], bool] = lambda channel: True
    extend: Callable[[FusedRanking, Sequence[QueryRankings], RetrievalSettings], FusedRanking] | None = None
    order: int = 100  # in which fusions are listed

    def weights(self, settings: RetrievalSettings) -> dict[str, float]:
        """Return what each channel counts, by its name."""
        return {channel.name: self.weigh(channel, settings) for channel in CHANNELS}

    def weight_keys(self) -> tuple[str, ...]:
        """Return the fields of RetrievalSettings that hold the weights it reads."""
        return tuple(one.weight_key for one in CHANNELS if one.weight_key and self.reads_weight(one))

    @property
    def is_weighted(self) -> bool:
        """Whether channels count by their weights."""
        return self.weigh is own_weight


FUSIONS: Registry[FusionKind] = Registry("fusion", folder=__package__)


@dataclass(frozen=True, slots=True)
class ConsensusKind:
    """A way to join the rankings of a question's queries; `settings_keys` are fields of RetrievalSettings."""

    name: str
    rank: Callable[[Sequence[ScoredRows], Sequence[float], RetrievalSettings], ScoredRows]  # rankings, their weights
    settings_keys: tuple[str, ...] = ("dedup_first", "planned_query_weight")
    orders_by_score: bool = True


CONSENSUS: Registry[ConsensusKind] = Registry("consensus", folder=__package__)
