"""The channels of a search: each finds nodes for a query in its own way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kohaku_lib.registry import Registry, lazy

if TYPE_CHECKING:
    import numpy as np

    from kohaku_lib.retrieval.fusion.scored_rows import RankingsByKind
    from kohaku_lib.retrieval.search.channels import Search
    from kohaku_lib.settings import RetrievalSettings


@dataclass(frozen=True, slots=True)
class ChannelKind:
    """A way to search; its weight decides how much it counts in the fusion, and 0 switches it off.

    `search` returns, for each query, a ranking for each kind of node. Fields of RetrievalSettings are named without
    their section: `settings_keys` are those that matter only while this channel is searched.
    """

    name: str
    search: Callable[[Search], list[RankingsByKind]]
    weight_key: str | None = None  # the field that holds its weight; None: the weight is 1
    settings_keys: tuple[str, ...] = ()
    is_basic: bool = False  # counts in a reciprocal rank fusion whatever its weight
    document_priors: Callable[[Search], list[np.ndarray]] | None = None  # how well whole documents fit, per query
    orders_candidates: bool = False  # it is searched after the others, over what these found

    def weight(self, settings: RetrievalSettings) -> float:
        """Return the weight that `settings` give to the channel."""
        return 1.0 if self.weight_key is None else getattr(settings, self.weight_key)


CHANNELS: Registry[ChannelKind] = Registry("retrieval channel")

CHANNELS.register(
    ChannelKind(
        "dense",
        lazy("kohaku_lib.retrieval.search.dense:search_dense"),
        weight_key="dense_weight",
        settings_keys=("threshold", "paragraph_search_mode", "rescore"),
        is_basic=True,
    )
)
CHANNELS.register(
    ChannelKind(
        "lexical",
        lazy("kohaku_lib.retrieval.search.channels:search_lexical"),
        weight_key="lexical_weight",
        settings_keys=("document_weight", "title_weight", "heading_weight"),
        is_basic=True,
        document_priors=lazy("kohaku_lib.retrieval.search.document_prior:priors_of"),
    )
)
CHANNELS.register(
    ChannelKind(
        "graph",
        lazy("kohaku_lib.retrieval.search.graph:search_graph"),
        weight_key="graph_weight",
        settings_keys=("graph_hops", "hop_weight"),
    )
)
CHANNELS.register(
    ChannelKind("raptor", lazy("kohaku_lib.retrieval.search.raptor:search_raptor"), weight_key="raptor_weight")
)
CHANNELS.register(
    ChannelKind("lightrag", lazy("kohaku_lib.retrieval.search.lightrag:search_lightrag"), weight_key="lightrag_weight")
)
CHANNELS.register(
    ChannelKind(
        "late",
        lazy("kohaku_lib.retrieval.search.late:search_late"),
        weight_key="late_weight",
        orders_candidates=True,
    )
)
