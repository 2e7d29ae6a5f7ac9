"""The lexical channel: the sentences and the paragraphs with the largest BM25."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kohaku_lib.index import Snapshot
from kohaku_lib.index.bm25.lexical_index import NO_FIELDS, FieldWeights
from kohaku_lib.retrieval.channels.document_prior import priors_of
from kohaku_lib.retrieval.channels.interface import CHANNELS, ChannelKind, Search
from kohaku_lib.retrieval.fusion.scored_rows import RankingsByKind, Scale, ScoredRows, by_kind
from kohaku_lib.settings import LexicalSettings, RetrievalSettings


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


CHANNELS.register(
    ChannelKind(
        "lexical",
        search_lexical,
        weight_key="lexical_weight",
        settings_keys=("document_weight", "title_weight", "heading_weight"),
        is_basic=True,
        document_priors=priors_of,
        order=2,
    )
)
