"""Lexical search: BM25 of every query against every searched node."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kohaku_lib.index import Snapshot
from kohaku_lib.retrieval.channels import Search
from kohaku_lib.retrieval.scored_rows import RankingsByKind, Scale, ScoredRows, by_kind
from kohaku_lib.settings import LexicalSettings


def search_lexical(search: Search) -> list[RankingsByKind]:
    """Return the rankings of each query of `search` by BM25."""
    title_weight = search.settings.title_weight
    return lexical_search(
        search.snapshot, search.queries, search.k, search.lexical, search.allowed, title_weight=title_weight
    )


def lexical_search(
    snapshot: Snapshot,
    queries: Sequence[str],
    k: int,
    settings: LexicalSettings,
    allowed: np.ndarray | None = None,
    *,
    title_weight: float = 0.0,
) -> list[RankingsByKind]:
    """Return the `k` best sentences and the `k` best paragraphs of each query by BM25.

    Rows that `allowed` (searched, bool; None: all) leaves out are never returned. Both are empty for a
    query without a known term. A word in the title or id of a document counts as `title_weight` occurrences in each
    of its texts. The text of a query is only ever read as words, never as a search syntax.
    """
    found: list[RankingsByKind] = []
    for query in queries:
        terms = snapshot.lexical.terms(query, settings)
        scores = snapshot.lexical.scores(terms, title_weight)
        kinds = by_kind(scores if allowed is None else np.where(allowed, scores, 0.0), snapshot.sentences, k, above=0.0)
        widths = snapshot.lexical.most(terms)
        found.append(tuple(_on_scale(ranked, k, width) for ranked, width in zip(kinds, widths, strict=True)))
    return found


def _on_scale(ranked: ScoredRows, k: int, width: float) -> ScoredRows:
    """Return the ranking with its scale; where it is not full, the others hold no term of the query."""
    least = float(ranked.scores[-1]) if len(ranked) == k else 0.0
    return ScoredRows(ranked.rows, ranked.scores, Scale(least, width))
