"""The fusions that `retrieval.fusion` names: what joins the rankings of all channels into one per query."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kohaku_lib.kinds.channels import CHANNELS, ChannelKind
from kohaku_lib.registry import Registry, lazy

if TYPE_CHECKING:
    from kohaku_lib.retrieval.fusion.rank import FusedRanking
    from kohaku_lib.retrieval.fusion.scored_rows import RankingsByKind, ScoredRows
    from kohaku_lib.retrieval.search.channels import QueryRankings
    from kohaku_lib.settings import RetrievalSettings


def own_weight(channel: ChannelKind, settings: RetrievalSettings) -> float:
    """Return the weight of the channel as it is set."""
    return channel.weight(settings)


def equal_weight(channel: ChannelKind, settings: RetrievalSettings) -> float:
    """Return 1 for a channel with any weight."""
    return float(channel.weight(settings) > 0)


def append_weight(channel: ChannelKind, settings: RetrievalSettings) -> float:
    """Return 1 for dense search, and for BM25 where its results are appended."""
    return {"dense": 1.0, "lexical": float(settings.bm25_top_k > 0)}.get(channel.name, 0.0)


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


FUSIONS: Registry[FusionKind] = Registry("fusion")

FUSIONS.register(
    FusionKind(
        "append",
        lazy("kohaku_lib.retrieval.fusion.fuse:fuse_dense_alone"),
        ("bm25_top_k", "bm25_order"),
        append_weight,
        lambda channel: False,
        lazy("kohaku_lib.retrieval.fusion.rank:append_lexical"),
    )
)
FUSIONS.register(
    FusionKind(
        "rrf",
        lazy("kohaku_lib.retrieval.fusion.fuse:fuse_by_rank"),
        ("rrf_k", "rank_lists"),
        equal_weight,
    )
)
FUSIONS.register(
    FusionKind("weighted_rrf", lazy("kohaku_lib.retrieval.fusion.fuse:fuse_by_rank"), ("rrf_k", "rank_lists"))
)
FUSIONS.register(FusionKind("minmax", lazy("kohaku_lib.retrieval.fusion.fuse:fuse_by_minmax")))
FUSIONS.register(FusionKind("bounded", lazy("kohaku_lib.retrieval.fusion.fuse:fuse_by_bounds")))
