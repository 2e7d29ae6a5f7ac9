"""Turns what the queries of a question found into one ranking, and says which nodes enter the context."""

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


def rank_question(
    snapshot: Snapshot,
    rankings: Sequence[QueryRankings],
    settings: RetrievalSettings,
    depth: int = 1,
    allowed: np.ndarray | None = None,
    weights: Sequence[float] | None = None,
) -> FusedRanking:
    """Rank the nodes that the queries of one question found; `weights` say what each counts.

    Without them the first, the question, counts 1 and each other `planned_query_weight`. Channels are fused per
    query, then the queries are reranked by consensus. A node enters the context when it is among the first
    `top_k · depth` of a query, up to `top_k_final · depth` nodes; with fusion `append` the BM25 results follow after
    that cut.
    """
    per_query = [rank_query(snapshot, found, settings, allowed) for found in rankings]
    weights = weights or [1.0] + [settings.planned_query_weight] * (len(rankings) - 1)
    nodes = CONSENSUS.get(settings.rerank).rank(per_query, weights[: len(rankings)], settings)
    entering = {int(row) for ranked in per_query for row in ranked.head(settings.top_k * depth).rows}
    context = [(int(row), float(score)) for row, score in zip(nodes.rows, nodes.scores, strict=True) if row in entering]
    if settings.top_k_final:
        context = context[: settings.top_k_final * depth]
    extend = FUSIONS.get(settings.fusion).extend
    ranking = FusedRanking(nodes, context)
    return extend(ranking, rankings, settings) if extend else ranking


def rank_query(
    snapshot: Snapshot, found: QueryRankings, settings: RetrievalSettings, allowed: np.ndarray | None = None
) -> ScoredRows:
    """Return the nodes that one query found, after fusion, shared evidence and the lift of fitting documents.

    A paragraph that only its sentences would bring in stays out where `allowed` leaves it out.
    """
    shared = share_evidence(snapshot, fuse_channels(found, settings), settings.evidence_share)
    if allowed is not None:
        shared = ScoredRows(shared.rows[allowed[shared.rows]], shared.scores[allowed[shared.rows]])
    return lift_by_document(snapshot, shared, found.prior, settings.document_weight)


def fuse_channels(found: QueryRankings, settings: RetrievalSettings) -> ScoredRows:
    """Return one ranking of the nodes that a query found in all channels, by the fusion of the settings."""
    fusion = FUSIONS.get(settings.fusion)
    return fusion.fuse(found.lists, fusion.weights(settings), settings)


def append_lexical(
    ranking: FusedRanking, rankings: Sequence[QueryRankings], settings: RetrievalSettings
) -> FusedRanking:
    """Return the ranking with the next `bm25_top_k` BM25 results at the end of its context."""
    if not settings.bm25_top_k:
        return ranking
    lexical = [by_score(found.lists.get("lexical", ())) for found in rankings]
    return FusedRanking(*_append(ranking.nodes, ranking.context, lexical, settings.bm25_top_k))


def _append(
    nodes: ScoredRows, context: list[tuple[int, float]], lexical: Sequence[ScoredRows], count: int
) -> tuple[ScoredRows, list[tuple[int, float]]]:
    """Put the next `count` BM25 results behind the context, with the least score of the context."""
    added = append_round_robin(lexical, [row for row, _ in context], count)
    least = context[-1][1] if context else 0.0
    context = [*context, *((row, least) for row in added)]
    front = np.array([row for row, _ in context], np.int64)
    rest = ~np.isin(nodes.rows, front)
    scores = np.concatenate([[score for _, score in context], np.minimum(nodes.scores[rest], least)])
    return ScoredRows(np.concatenate([front, nodes.rows[rest]]), scores), context


def share_evidence(snapshot: Snapshot, ranked: ScoredRows, share: float) -> ScoredRows:
    """Return the ranking after each sentence got `share` · own + (1 - share) · its paragraph's score.

    A paragraph gets what its best sentence then has, so that both are ranked next to each other; a paragraph without a ranked
    sentence keeps (1 - share) of its score, and one that is not itself ranked joins the ranking. Ties: the sentence
    before its paragraph. A share of 0 changes nothing.
    """
    if share == 0 or not len(ranked):
        return ranked
    score = np.zeros(snapshot.searched)
    score[ranked.rows] = ranked.scores
    sentences = ranked.rows[ranked.rows < snapshot.sentences]
    paragraphs = snapshot.search_parents[sentences]
    blended = share * score[sentences] + (1 - share) * np.where(paragraphs >= 0, score[paragraphs], 0.0)
    best_child = np.full(snapshot.searched, 0.0)
    known = paragraphs >= 0
    np.maximum.at(best_child, paragraphs[known], score[sentences][known])
    rows = np.union1d(ranked.rows[ranked.rows >= snapshot.sentences], paragraphs[known])
    values = np.concatenate([blended, share * best_child[rows] + (1 - share) * score[rows]])
    all_rows = np.concatenate([sentences, rows])
    order = np.lexsort((all_rows, -values))
    return ScoredRows(all_rows[order], values[order])
