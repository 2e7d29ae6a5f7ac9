"""Combines the results of a question's queries into one ranking, and selects the nodes of the context."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kohaku_lib.index import Snapshot
from kohaku_lib.retrieval.channels.document_prior import lift_by_document
from kohaku_lib.retrieval.fusion.interface import CONSENSUS, FUSIONS, FusedRanking, QueryRankings
from kohaku_lib.retrieval.fusion.scored_rows import ScoredRows
from kohaku_lib.settings import RetrievalSettings


def rank_question(
    snapshot: Snapshot,
    rankings: Sequence[QueryRankings],
    settings: RetrievalSettings,
    depth: int = 1,
    allowed: np.ndarray | None = None,
    weights: Sequence[float] | None = None,
) -> FusedRanking:
    """Rank the nodes found by the queries of one question.

    The default `weights` are 1 for the first query (the question) and `planned_query_weight` for the others. Channels
    are fused per query, then the queries are combined by consensus. A node enters the context if it is among the first
    `top_k · depth` of a query, up to `top_k_final · depth` nodes; with fusion `append` BM25 results are appended after
    that cutoff.
    """
    per_query = [rank_query(snapshot, query_rankings, settings, allowed) for query_rankings in rankings]
    weights = weights or [1.0] + [settings.planned_query_weight] * (len(rankings) - 1)
    nodes = CONSENSUS.get(settings.consensus).rank(per_query, weights[: len(rankings)], settings)
    entering = {int(row) for ranking in per_query for row in ranking.head(settings.top_k * depth).rows}
    context = [(int(row), float(score)) for row, score in zip(nodes.rows, nodes.scores, strict=True) if row in entering]
    if settings.top_k_final:
        context = context[: settings.top_k_final * depth]
    extend = FUSIONS.get(settings.fusion).extend
    ranking = FusedRanking(nodes, context)
    return extend(ranking, rankings, settings) if extend else ranking


def rank_query(
    snapshot: Snapshot, query_rankings: QueryRankings, settings: RetrievalSettings, allowed: np.ndarray | None = None
) -> ScoredRows:
    """Return the nodes found by one query, after fusion, evidence sharing and the document prior.

    A paragraph added by its sentences is dropped if `allowed` excludes it.
    """
    shared = share_evidence(snapshot, fuse_channels(query_rankings, settings), settings.evidence_share)
    if allowed is not None:
        shared = ScoredRows(shared.rows[allowed[shared.rows]], shared.scores[allowed[shared.rows]])
    prior = query_rankings.prior
    return lift_by_document(snapshot, shared, prior, settings.document_weight) if len(prior) else shared


def fuse_channels(query_rankings: QueryRankings, settings: RetrievalSettings) -> ScoredRows:
    """Fuse the rankings of all channels of a query by the configured fusion."""
    fusion = FUSIONS.get(settings.fusion)
    return fusion.fuse(query_rankings.lists, fusion.weights(settings), settings)


def share_evidence(snapshot: Snapshot, ranking: ScoredRows, share: float) -> ScoredRows:
    """Rescore each sentence by `share` · own + (1 - share) · its paragraph's score.

    A paragraph gets the new score of its best sentence, so that both are adjacent in the ranking; a paragraph without a
    ranked sentence gets (1 - share) of its score, and unranked paragraphs of ranked sentences are added. Ties: the
    sentence before its paragraph. A share of 0 changes nothing.
    """
    if share == 0 or not len(ranking):
        return ranking
    score = np.zeros(snapshot.searched)
    score[ranking.rows] = ranking.scores
    sentences = ranking.rows[ranking.rows < snapshot.sentences]
    paragraphs = snapshot.search_parents[sentences]
    blended = share * score[sentences] + (1 - share) * np.where(paragraphs >= 0, score[paragraphs], 0.0)
    best_child = np.full(snapshot.searched, 0.0)
    has_paragraph = paragraphs >= 0
    np.maximum.at(best_child, paragraphs[has_paragraph], score[sentences][has_paragraph])
    rows = np.union1d(ranking.rows[ranking.rows >= snapshot.sentences], paragraphs[has_paragraph])
    values = np.concatenate([blended, share * best_child[rows] + (1 - share) * score[rows]])
    all_rows = np.concatenate([sentences, rows])
    order = np.lexsort((all_rows, -values))
    return ScoredRows(all_rows[order], values[order])
