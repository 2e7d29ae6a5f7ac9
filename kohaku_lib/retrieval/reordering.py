"""Brings ranks and scores into line with a new order of snippets."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import replace

import numpy as np

from kohaku_lib.index import Snapshot
from kohaku_lib.retrieval.expand import ExpandedMatch
from kohaku_lib.retrieval.rank import FusedRanking
from kohaku_lib.retrieval.scored_rows import ScoredRows


def in_new_order(scored: Sequence[tuple[ExpandedMatch, float]]) -> list[ExpandedMatch]:
    """Return nodes with the ranks 1, 2, … of their new order and their new scores.

    A score is never larger than one before it: where the order says otherwise (novelty, an unknown rerank score)
    it is lowered to that.

    >>> nodes = [ExpandedMatch(7, 7, 3, 0.5), ExpandedMatch(4, 4, 1, 0.9)]
    >>> [(node.row, node.rank, node.score) for node in in_new_order([(nodes[0], 0.7), (nodes[1], 0.9)])]
    [(7, 1, 0.7), (4, 2, 0.7)]
    """
    scores = np.minimum.accumulate([score for _, score in scored] or [0.0])
    return [
        replace(node, rank=rank, score=float(score))
        for rank, ((node, _), score) in enumerate(zip(scored, scores, strict=False), 1)
    ]


def reordered_nodes(
    snapshot: Snapshot, ranking: FusedRanking, kept: Sequence[ExpandedMatch], rescored: Set[int]
) -> ScoredRows:
    """Return all ranked nodes: those of the context in the order of the snippets `kept` they belong to, then the rest.

    A node whose snippet was rescored (`rescored`, by row) takes its score; no score is larger than one before it.
    """
    place_by_row: dict[int, int] = {}
    for place, node in enumerate(kept):
        place_by_row.setdefault(node.row, place)
    entered = {row for row, _ in ranking.context}
    behind = len(kept)
    rows = snapshot.search_rows[ranking.nodes.rows].tolist()
    places = np.full(len(rows), behind)
    scores = ranking.nodes.scores.copy()
    for at, (row, searched) in enumerate(zip(rows, ranking.nodes.rows.tolist(), strict=True)):
        if searched not in entered:
            continue
        own = next((line for line in (row, *snapshot.parents(row, len(_LEVELS))) if line in place_by_row), None)
        if own is not None:
            places[at] = place_by_row[own]
            if own in rescored:
                scores[at] = kept[places[at]].score
    order = np.argsort(places, kind="stable")
    return ScoredRows(ranking.nodes.rows[order], np.minimum.accumulate(scores[order]) if len(rows) else scores)


_LEVELS = ("paragraph", "section", "document")
