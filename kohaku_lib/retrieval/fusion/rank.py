"""Combines the results of a question's queries into one ranking, and selects the nodes of the context."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kohaku_lib.index import Snapshot
from kohaku_lib.kinds import CONSENSUS, FUSIONS
from kohaku_lib.retrieval.fusion.fuse import append_round_robin, by_score
from kohaku_lib.retrieval.fusion.scored_rows import ScoredRows
from kohaku_lib.retrieval.search.channels import QueryRankings
from kohaku_lib.retrieval.search.document_prior import lift_by_document
from kohaku_lib.settings import RetrievalSettings


@dataclass(frozen=True, slots=True)
class FusedRanking:
    """All ranked nodes (searched rows), and those that enter the context with their scores, both best first."""

    nodes: ScoredRows
    context: list[tuple[int, float]]
    lifts: tuple[tuple[int, float], ...] = ()  # paragraphs (searched rows) that a hop lifted most, and by how much


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
    nodes = CONSENSUS.get(settings.rerank).rank(per_query, weights[: len(rankings)], settings)
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


def append_lexical(
    ranking: FusedRanking, rankings: Sequence[QueryRankings], settings: RetrievalSettings
) -> FusedRanking:
    """Return the ranking with the next `bm25_top_k` BM25 results at the end of its context."""
    if not settings.bm25_top_k:
        return ranking
    lexical = [by_score(query_rankings.lists.get("lexical", ())) for query_rankings in rankings]
    if settings.bm25_order == "query":
        heads = [ranking.head(settings.bm25_top_k) for ranking in lexical]
        lexical = [
            ScoredRows(np.concatenate([head.rows for head in heads]), np.concatenate([head.scores for head in heads]))
        ]
    return FusedRanking(*_append_to_context(ranking.nodes, ranking.context, lexical, settings.bm25_top_k))


def _append_to_context(
    nodes: ScoredRows, context: list[tuple[int, float]], lexical: Sequence[ScoredRows], count: int
) -> tuple[ScoredRows, list[tuple[int, float]]]:
    """Append the next `count` BM25 results to the context, with the lowest score of the context."""
    new_rows = append_round_robin(lexical, [row for row, _ in context], count)
    least = context[-1][1] if context else 0.0
    context = [*context, *((row, least) for row in new_rows)]
    front = np.array([row for row, _ in context], np.int64)
    is_outside = ~np.isin(nodes.rows, front)
    scores = np.concatenate([[score for _, score in context], np.minimum(nodes.scores[is_outside], least)])
    return ScoredRows(np.concatenate([front, nodes.rows[is_outside]]), scores), context


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
