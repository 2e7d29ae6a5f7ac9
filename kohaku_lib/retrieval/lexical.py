"""Lexical search: BM25 of every query against every searched node."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kohaku_lib.index import Snapshot, tokenise
from kohaku_lib.retrieval.ranked import Ranked, by_kind
from kohaku_lib.settings import LexicalSettings


def lexical_search(
    snapshot: Snapshot,
    queries: Sequence[str],
    k: int,
    settings: LexicalSettings,
    allowed: np.ndarray | None = None,
    *,
    title_weight: float = 0.0,
) -> list[tuple[Ranked, ...]]:
    """Return the `k` best sentences and the `k` best paragraphs of each query by BM25.

    Rows that `allowed` (searched, bool; None: all) leaves out are never returned. Both are empty for a
    query without a known term. A word in the title or id of a document counts as `title_weight` occurrences in each
    of its texts. The text of a query is only ever read as words, never as a search syntax.
    """
    every = (lexical_scores(snapshot, query, settings, title_weight) for query in queries)
    scores = every if allowed is None else (np.where(allowed, found, 0.0) for found in every)
    return [by_kind(found, snapshot.sentences, k, above=0.0) for found in scores]


def lexical_scores(snapshot: Snapshot, query: str, settings: LexicalSettings, title_weight: float = 0.0) -> np.ndarray:
    """Return the BM25 score of each searched node, (searched,); zero where it shares no term with the query."""
    return snapshot.lexical.scores(tokenise(query, settings), title_weight)
