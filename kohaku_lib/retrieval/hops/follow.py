"""Lifts in a ranking what the question names and what its best passages lead to."""

from __future__ import annotations

import numpy as np

from kohaku_lib.index import Snapshot
from kohaku_lib.retrieval.channels.lexical import field_weights
from kohaku_lib.retrieval.fusion.interface import CONSENSUS, TRACED, FusedRanking
from kohaku_lib.retrieval.fusion.scored_rows import ScoredRows
from kohaku_lib.retrieval.hops.bridges import search_bridges
from kohaku_lib.retrieval.hops.named_documents import linked_paragraphs, named_paragraphs
from kohaku_lib.retrieval.hops.sources import HopQuestion, best_passages, paragraph_places
from kohaku_lib.settings import RetrievalSettings

# Relative to the best score of the ranking. Chosen on MuSiQue; the recall of HotpotQA and MuSiQue hardly changes within
# half and double of each.
NAMED, LINKED, BRIDGED = 0.5, 0.4, 2.0


def follow_hops(
    snapshot: Snapshot, ranking: FusedRanking, question: HopQuestion, settings: RetrievalSettings
) -> FusedRanking:
    """Return `ranking` with the paragraphs lifted that `question` names or its best passages lead to.

    Lifted are documents whose titles the question contains, the best paragraph of each document whose title a passage
    contains, and paragraphs that share a name with a passage and contain words of the question that it lacks. A sentence
    is lifted with its paragraph, and a paragraph that was not ranked is added. All scores are scaled so that the best is
    as high as before, and as many nodes enter the context. Nothing changes if the weight or all scores are 0, or if the
    consensus does not order by score.
    """
    best = float(ranking.nodes.scores.max(initial=0.0))
    if settings.hop_weight == 0 or best <= 0 or not CONSENSUS.get(settings.consensus).orders_by_score:
        return ranking
    passages = best_passages(snapshot, ranking.nodes)
    named = named_paragraphs(snapshot, question)
    lifts = NAMED * named + LINKED * linked_paragraphs(snapshot, ranking.nodes, passages, question)
    lifts += BRIDGED * search_bridges(snapshot, passages, question, field_weights(settings))
    if question.allowed is not None:
        lifts[~question.allowed[snapshot.sentences :]] = 0.0
    return _lift(snapshot, ranking, settings.hop_weight * best * lifts)


def _lift(snapshot: Snapshot, ranking: FusedRanking, lifts: np.ndarray) -> FusedRanking:
    """Return the ranking with `lifts` (paragraphs,) added to the scores of paragraphs and their sentences."""
    lifted = np.flatnonzero(lifts) + snapshot.sentences
    if not len(lifted):
        return ranking
    added = np.setdiff1d(lifted, ranking.nodes.rows)
    rows = np.concatenate([ranking.nodes.rows, added])
    scores = np.concatenate([ranking.nodes.scores, np.zeros(len(added))])
    paragraphs = paragraph_places(snapshot, rows)
    gains = np.where(paragraphs >= 0, lifts[paragraphs], 0.0)
    before, scores = scores.max(), scores + gains
    scale = before / scores.max()
    scores *= scale
    order = np.argsort(-scores, kind="stable")
    may_enter = (gains > 0) | np.isin(rows, np.array([row for row, _ in ranking.context], np.int64))
    entering = order[may_enter[order]][: len(ranking.context)]
    context = list(zip(rows[entering].tolist(), scores[entering].tolist(), strict=True))
    most = lifted[np.argsort(-lifts[lifted - snapshot.sentences], kind="stable")][:TRACED]
    traced = zip(most.tolist(), (scale * lifts[most - snapshot.sentences]).tolist(), strict=True)
    return FusedRanking(ScoredRows(rows[order], scores[order]), context, tuple(traced))
