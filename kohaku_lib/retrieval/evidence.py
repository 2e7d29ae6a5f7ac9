"""Lets a sentence and its paragraph vouch for each other."""

from __future__ import annotations

import numpy as np

from kohaku_lib.index import Snapshot
from kohaku_lib.retrieval.scored_rows import ScoredRows


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
