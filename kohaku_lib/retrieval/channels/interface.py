"""The interface of channels: what a channel gets and gives, and the registry of all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from kohaku_lib.index import Snapshot
from kohaku_lib.registry import Registry
from kohaku_lib.retrieval.fusion.scored_rows import RankingsByKind
from kohaku_lib.settings import LexicalSettings, RetrievalSettings

EmbedTokens = Callable[[Sequence[str]], Sequence[np.ndarray]]


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
    switch: str | None = None  # the setting that builds what it searches, by dotted name; None: it is always there
    order: int = 100  # in which channels are listed

    def weight(self, settings: RetrievalSettings) -> float:
        """Return the weight that `settings` give to the channel."""
        return 1.0 if self.weight_key is None else getattr(settings, self.weight_key)


CHANNELS: Registry[ChannelKind] = Registry("retrieval channel", folder=__package__)
