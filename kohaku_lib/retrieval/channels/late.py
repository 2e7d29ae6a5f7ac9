"""The channel of late interaction: what the other channels find, by MaxSim of token vectors."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from kohaku_lib.errors import RetrievalError
from kohaku_lib.index.late import TokenIndex
from kohaku_lib.retrieval.channels.grouped_nodes import NOTHING, rankings_by_kind
from kohaku_lib.retrieval.channels.interface import CHANNELS, ChannelKind, Search
from kohaku_lib.retrieval.fusion.scored_rows import RankingsByKind


def search_late(search: Search) -> list[RankingsByKind]:
    """Return the candidates of each query of `search` by the mean over its tokens of the largest cosine in a text.

    Nothing is found in an index without token vectors.

    Raises:
        RetrievalError: There is no model for the tokens of the queries.

    """
    tokens = search.snapshot.late
    if tokens is None:
        return [NOTHING] * len(search.queries)
    if search.embed_tokens is None:
        msg = "late interaction needs a model for the tokens of the query; give the retriever embed_tokens"
        raise RetrievalError(msg)
    vectors = search.embed_tokens(search.queries)
    return [_ranked(search, tokens, *one) for one in zip(vectors, search.candidates, strict=True)]


def _ranked(search: Search, tokens: TokenIndex, query: np.ndarray, rows: np.ndarray) -> RankingsByKind:
    return rankings_by_kind(replace(search, k=max(len(rows), 1)), rows, tokens.scores(query, rows))


CHANNELS.register(
    ChannelKind(
        "late",
        search_late,
        weight_key="late_weight",
        orders_candidates=True,
        switch="late.enabled",
        order=6,
    )
)
