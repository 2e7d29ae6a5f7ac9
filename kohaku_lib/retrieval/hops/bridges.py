"""The second search: paragraphs that share a name with a passage and contain what it lacks of the question."""

from __future__ import annotations

import numpy as np

from kohaku_lib.index import Snapshot
from kohaku_lib.retrieval.hops.sources import HopQuestion, Passages
from kohaku_lib.retrieval.search.graph import find_keywords

MOST_MENTIONS = 500  # nodes; more frequent names relate too many to be bridges
LEAST_PATH = 0.03  # weaker paths say nothing; they would only reorder passages that fit a question about equally well


def search_bridges(snapshot: Snapshot, passages: Passages, question: HopQuestion, title_weight: float) -> np.ndarray:
    """Return the best path over a passage to each searched paragraph, (paragraphs,) from 0 to 1.

    A path weighs the share of the passage, times the squared rarity of the rarest name in both that the question does
    not contain, times the BM25 score of the paragraph for the terms of the question that the passage lacks, relative to
    the idf of all its terms. The least weight of 0.03 is subtracted.
    """
    best = np.zeros(snapshot.searched - snapshot.sentences)
    terms = snapshot.lexical.terms(question.text, question.lexical)
    scores = [snapshot.lexical.scores([term], title_weight)[snapshot.sentences :] for term in terms]
    most = snapshot.lexical.most(terms)[-1]
    if not most:
        return best
    by_term = np.stack(scores)  # (terms, paragraphs)
    asked = snapshot.graph.entities_named((keyword.text for keyword in find_keywords(question.text)), question.org_id)
    for place, share in zip(passages.places.tolist(), passages.shares.tolist(), strict=True):
        lacking = by_term[:, place] <= 0
        if not lacking.any():
            continue
        reached, rarity = _sharing(snapshot, place, asked, question.org_id)
        paths = share * rarity**2 * by_term[np.ix_(lacking, reached)].sum(axis=0) / most
        np.maximum.at(best, reached, paths)
    return np.maximum(best - LEAST_PATH, 0.0)


def _sharing(snapshot: Snapshot, place: int, asked: np.ndarray, org_id: str | None) -> tuple[np.ndarray, np.ndarray]:
    """Return the paragraphs that share a name with that at `place`, once for each name, and the rarities."""
    graph = snapshot.graph
    node_row = snapshot.search_rows[snapshot.sentences + place]
    entities = np.setdiff1d(graph.entities_in(np.array([node_row]), org_id), asked, assume_unique=True)
    nodes, of = graph.mentions(entities, MOST_MENTIONS)
    rows = snapshot.search_row_of_node[nodes]
    usable = rows >= snapshot.sentences
    reached = rows[usable] - snapshot.sentences
    rarity = graph.rarity(entities)[of[usable]]
    is_other = reached != place
    return reached[is_other], rarity[is_other]
