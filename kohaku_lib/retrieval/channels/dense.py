"""Dense search: the sentences and the paragraphs with the largest cosines, all queries at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kohaku_lib.index import Snapshot
from kohaku_lib.index.vectors.search_order import document_numbers
from kohaku_lib.index.vectors.top_rows import TopRows, top_rows
from kohaku_lib.index.vectors.vector_search import kind_spans
from kohaku_lib.retrieval.channels.interface import CHANNELS, ChannelKind, Search
from kohaku_lib.retrieval.fusion.scored_rows import RankingsByKind, Scale, ScoredRows

LARGEST_COSINE = 1.0


def search_dense(search: Search) -> list[RankingsByKind]:
    """Return the rankings of each query of `search` by cosine."""
    settings = search.settings
    rankings = dense_search(
        search.snapshot,
        search.vectors,
        search.k,
        mode=settings.paragraph_search_mode,
        threshold=-1.0 if settings.intent_hints else settings.threshold,  # then it is applied question by question
        allowed=search.allowed,
        rescore=settings.rescore,
    )
    return _with_parents(search, rankings) if settings.candidates == "top_k_of_all" else rankings


def dense_search(
    snapshot: Snapshot,
    queries: np.ndarray,
    k: int,
    *,
    mode: str = "averaged",
    threshold: float = -1.0,
    allowed: np.ndarray | None = None,
    rescore: int = 1,
) -> list[RankingsByKind]:
    """Return the `k` sentences and the `k` paragraphs nearest to each of `queries` (n, dim), by cosine.

    `mode` selects the paragraph vectors: averaged, full (direct ones, if the index has them) or both (the larger
    cosine). Rows that `allowed` (searched, bool; None: all) excludes and zero vectors are never returned, and nothing is
    for a query that is a zero vector. Results below
    `threshold` are dropped, except the best one. `rescore` is the number of candidates per result that are scored
    exactly if the index is quantised or approximate.
    """
    spans = kind_spans(snapshot.sentences, snapshot.searched)
    sentences = snapshot.search.top(queries, k, spans["sentence"], allowed=allowed, rescore=rescore)
    paragraphs = _search_paragraphs(snapshot, queries, k, mode, allowed, rescore)
    return [
        drop_below((_query_ranking(sentences, query), _query_ranking(paragraphs, query)), threshold)
        if queries[query].any()
        else (_NOTHING, _NOTHING)
        for query in range(len(queries))
    ]


def drop_below(rankings: RankingsByKind, threshold: float) -> RankingsByKind:
    """Return the results of a query without those below `threshold`; the best one of all stays.

    >>> lists = ScoredRows(np.array([4, 2]), np.array([0.3, 0.1])), ScoredRows(np.array([7]), np.array([0.2]))
    >>> [ranking.rows.tolist() for ranking in drop_below(lists, 0.5)]
    [[4], []]
    """
    if threshold <= -1.0:
        return rankings
    best = max([-np.inf, *(float(ranking.scores[0]) for ranking in rankings if len(ranking))])
    least = min(best, threshold)
    return tuple(ranking.head(int(np.count_nonzero(ranking.scores >= least))) for ranking in rankings)


_NOTHING = ScoredRows(np.zeros(0, np.int64), np.zeros(0))


def _with_parents(search: Search, rankings: Sequence[RankingsByKind]) -> list[RankingsByKind]:
    """Return the rankings with a third one for each query: of the `k` nearest sections and documents.

    Its rows are those of the main space, behind the searched ones. With a filter only those of documents count that have a
    row which it allows.
    """
    snapshot, allowed = search.snapshot, search.allowed
    vectors, rows = snapshot.vectors(), snapshot.space_rows("main")
    usable = np.asarray(rows.column("norm_ok").to_numpy(), bool)
    if allowed is not None:
        documents = document_numbers(snapshot.nodes)[rows.column("node_row").to_numpy()]
        usable = usable & np.isin(documents, np.unique(snapshot.search_documents[allowed]))
    span, queries = range(snapshot.searched, len(vectors)), search.vectors
    parents = top_rows(lambda low, high: queries @ vectors[low:high].T, len(queries), search.k, span, usable)
    return [
        (*lists, _query_ranking(parents, query) if queries[query].any() else _NOTHING)
        for query, lists in enumerate(rankings)
    ]


def _search_paragraphs(
    snapshot: Snapshot, queries: np.ndarray, k: int, mode: str, allowed: np.ndarray | None, rescore: int
) -> TopRows:
    span = kind_spans(snapshot.sentences, snapshot.searched)["paragraph"]
    if mode == "averaged" or not len(snapshot.vectors("para_full")):
        return snapshot.search.top(queries, k, span, allowed=allowed, rescore=rescore)
    columns, full = _search_direct_vectors(snapshot, queries, k, allowed)
    if mode == "full":  # paragraphs without a direct vector use their averaged one
        allowed = np.ones(snapshot.searched, bool) if allowed is None else allowed.copy()
        allowed[columns] = False
    averaged = snapshot.search.top(queries, k, span, allowed=allowed, rescore=rescore)
    return _merge_by_larger_score(averaged, full, min(k, len(span)))


def _search_direct_vectors(
    snapshot: Snapshot, queries: np.ndarray, k: int, allowed: np.ndarray | None
) -> tuple[np.ndarray, TopRows]:
    """Return the searched rows that have a direct vector, and the best `k` of them for each query."""
    rows = snapshot.space_rows("para_full")
    columns = snapshot.search_row_of_node[rows.column("node_row").to_numpy()]
    usable = (columns >= 0) & np.asarray(rows.column("norm_ok").to_numpy(), bool)
    is_searched = usable if allowed is None else usable & allowed[columns]
    vectors = snapshot.vectors("para_full")
    best = top_rows(lambda low, high: queries @ vectors[low:high].T, len(queries), k, range(len(vectors)), is_searched)
    return columns[usable], TopRows(np.where(best.rows >= 0, columns[best.rows], -1), best.scores)


def _merge_by_larger_score(first: TopRows, second: TopRows, k: int) -> TopRows:
    """Return the best `k` of both for each query; shared rows count once, with the larger score."""
    rows = np.concatenate([first.rows, second.rows], axis=1)
    scores = np.concatenate([first.scores, second.scores], axis=1)
    order = np.lexsort((-scores, rows), axis=1)
    rows, scores = np.take_along_axis(rows, order, axis=1), np.take_along_axis(scores, order, axis=1)
    scores[:, 1:][rows[:, 1:] == rows[:, :-1]] = -np.inf
    order = np.argsort(-scores, axis=1, kind="stable")[:, :k]
    rows, scores = np.take_along_axis(rows, order, axis=1), np.take_along_axis(scores, order, axis=1)
    return TopRows(np.where(scores > -np.inf, rows, -1), scores)


def _query_ranking(top: TopRows, query: int) -> ScoredRows:
    count = int(np.count_nonzero(top.rows[query] >= 0))
    scores = top.scores[query, :count].astype(np.float64)
    scale = Scale(least=float(scores[-1]), width=LARGEST_COSINE) if count else None
    return ScoredRows(top.rows[query, :count], scores, scale)


CHANNELS.register(
    ChannelKind(
        "dense",
        search_dense,
        weight_key="dense_weight",
        settings_keys=("threshold", "paragraph_search_mode", "rescore"),
        is_basic=True,
        order=1,
    )
)
