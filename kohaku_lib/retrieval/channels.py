"""Runs every query through every channel: dense and lexical, sentences and paragraphs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kohaku_lib.index import Snapshot
from kohaku_lib.retrieval.dense import dense_search
from kohaku_lib.retrieval.document_prior import document_priors
from kohaku_lib.retrieval.lexical import lexical_search
from kohaku_lib.retrieval.ranked import Ranked
from kohaku_lib.settings import LexicalSettings, RetrievalSettings

TRACED = 10


@dataclass(frozen=True, slots=True)
class QueryRankings:
    """What one query found: a ranking of sentences and one of paragraphs from each channel."""

    query: str
    dense: tuple[Ranked, Ranked]
    lexical: tuple[Ranked, Ranked]
    prior: np.ndarray  # (documents,) how well each document fits as a whole, 0 to 1; empty where not asked

    def trace(self, snapshot: Snapshot) -> dict[str, object]:
        """Return the query with the ids of the best nodes of each of its rankings."""
        names = ("dense_sentences", "dense_paragraphs", "lexical_sentences", "lexical_paragraphs")
        heads = [ranked.head(TRACED).rows for ranked in (*self.dense, *self.lexical)]
        ids = [snapshot.column("node_id", snapshot.search_rows[rows]) for rows in heads]
        return {"query": self.query, **dict(zip(names, ids, strict=True))}


def search_channels(
    snapshot: Snapshot,
    queries: Sequence[str],
    vectors: np.ndarray,
    k: int,
    settings: RetrievalSettings,
    lexical: LexicalSettings,
    allowed: np.ndarray | None = None,
) -> list[QueryRankings]:
    """Return the `k` best sentences and the `k` best paragraphs of each query by each channel.

    Rows that `allowed` (searched, bool; None: all) leaves out are never found. A channel without
    weight is not searched and its rankings are empty; without words there is no prior either.
    """
    dense_weight, lexical_weight = channel_weights(settings)
    nothing = [(EMPTY, EMPTY)] * len(queries)
    dense = lexical_found = nothing
    if dense_weight > 0:
        mode, threshold = settings.paragraph_search_mode, settings.threshold
        dense = dense_search(
            snapshot, vectors, k, mode=mode, threshold=threshold, allowed=allowed, rescore=settings.rescore
        )
    if lexical_weight > 0:
        lexical_found = lexical_search(snapshot, queries, k, lexical, allowed)
    priors = [np.zeros(0)] * len(queries)
    if settings.document_weight > 0 and lexical_weight > 0:
        priors = document_priors(snapshot, queries, lexical, allowed)
    return [QueryRankings(*found) for found in zip(queries, dense, lexical_found, priors, strict=True)]


def channel_weights(settings: RetrievalSettings) -> tuple[float, float]:
    """Return the weights of the dense and the lexical channel, as far as the fusion reads them.

    >>> channel_weights(RetrievalSettings(fusion="append", bm25_top_k=0, dense_weight=0.2))
    (1.0, 0.0)
    """
    if settings.fusion == "append":
        return 1.0, 1.0 if settings.bm25_top_k else 0.0
    return (1.0, 1.0) if settings.fusion == "rrf" else (settings.dense_weight, settings.lexical_weight)


EMPTY = Ranked(np.empty(0, np.int64), np.empty(0))
