"""The second search: paragraphs that share a name with a passage and contain what it lacks of the question."""

from __future__ import annotations

import numpy as np

from kohaku_lib.index import Snapshot
from kohaku_lib.index.bm25.lexical_index import FieldWeights
from kohaku_lib.retrieval.channels.graph import find_keywords
from kohaku_lib.retrieval.hops.sources import HopQuestion, Passages

MOST_MENTIONS = 500  # nodes; more frequent names relate too many to be bridges
LEAST_PATH = 0.03  # weaker paths say nothing; they would only reorder passages that fit a question about equally well


def search_bridges(snapshot: Snapshot, passages: Passages, question: HopQuestion, weights: FieldWeights) -> np.ndarray:
    """Return the best path over a passage to each searched paragraph, (paragraphs,) from 0 to 1.

    A path weighs the share of the passage, times the squared rarity of the rarest name in both that the question does
    not contain, times the BM25 score of the paragraph for the terms of the question that the passage lacks, relative to
    the idf of all its terms. The least weight of 0.03 is subtracted.
    """
    best = np.zeros(snapshot.searched - snapshot.sentences)
    terms = snapshot.lexical.terms(question.text, question.lexical)
    most = snapshot.lexical.most(terms)[-1]
    if not most or not len(passages.places):
        return best
    by_term = np.stack([snapshot.lexical.paragraph_scores([term], weights) for term in terms])
    asked = snapshot.graph.entities_named((keyword.text for keyword in find_keywords(question.text)), question.org_id)
    of, reached, rarity = _sharing(snapshot, passages.places, asked, question.org_id)
    lacking = by_term[:, passages.places] <= 0  # (terms, passages)
    gains = np.where(lacking.take(of, axis=1), by_term.take(reached, axis=1), 0).sum(axis=0)
    np.maximum.at(best, reached, passages.shares[of] * rarity**2 * gains / most)
    return np.maximum(best - LEAST_PATH, 0.0)


def _sharing(
    snapshot: Snapshot, places: np.ndarray, asked: np.ndarray, org_id: str | None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return for each name in a passage and other paragraph with it: the number of the passage, the paragraph, the rarity."""
    graph = snapshot.graph
    entities, of_entity = graph.entities_by_node(snapshot.search_rows[snapshot.sentences + places], org_id)
    is_new = np.isin(entities, asked, invert=True)
    entities, of_entity = entities[is_new], of_entity[is_new]
    nodes, of = graph.mentions(entities, MOST_MENTIONS)
    reached = snapshot.search_row_of_node[nodes] - snapshot.sentences
    passage = of_entity[of]
    usable = (reached >= 0) & (reached != places[passage])
    return passage[usable], reached[usable], graph.rarity(entities)[of[usable]]
