"""The document prior: boosts the nodes of documents that match a query as a whole."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kohaku_lib.index import Snapshot
from kohaku_lib.retrieval.channels.interface import Search
from kohaku_lib.retrieval.fusion.scored_rows import ScoredRows
from kohaku_lib.settings import LexicalSettings


def priors_of(search: Search) -> list[np.ndarray]:
    """Return the priors for each query of `search`; empty if the document weight is 0."""
    if search.settings.document_weight == 0:
        return []
    return document_priors(search.snapshot, search.queries, search.lexical, search.allowed)


def document_priors(
    snapshot: Snapshot, queries: Sequence[str], settings: LexicalSettings, allowed: np.ndarray | None = None
) -> list[np.ndarray]:
    """Return for each query the score of each document as a whole, (documents,) from 0 to 1.

    The score is BM25 over whole documents, scaled so that the best has 1, and the median and those below have 0. Only
    documents with a row in `allowed` (searched, bool; None: all) are compared; the others have 0.
    """
    open_documents = slice(None) if allowed is None else np.unique(snapshot.search_documents[allowed])
    priors = []
    for query in queries:
        scores = snapshot.lexical.document_scores(snapshot.lexical.terms(query, settings))
        prior = np.zeros(len(scores))
        prior[open_documents] = _scale_above_median(scores[open_documents])
        priors.append(prior)
    return priors


def lift_by_document(snapshot: Snapshot, ranking: ScoredRows, prior: np.ndarray, weight: float) -> ScoredRows:
    """Add `weight` · the best score · the prior of its document to the score of each node, and re-sort.

    Equal scores keep their order; a weight of 0 or an empty prior changes nothing.
    """
    if weight == 0 or not len(ranking) or not len(prior):
        return ranking
    lift = weight * max(float(ranking.scores[0]), 0.0)
    scores = ranking.scores + lift * prior[snapshot.search_documents[ranking.rows]]
    order = np.argsort(-scores, kind="stable")
    return ScoredRows(ranking.rows[order], scores[order])


def _scale_above_median(scores: np.ndarray) -> np.ndarray:
    if not len(scores):
        return scores
    least, best = float(np.median(scores)), float(scores.max())
    return np.clip((scores - least) / (best - least), 0.0, 1.0) if best > least else np.zeros(len(scores))
