"""Refines a ranking before it is packed: its nodes expand to snippets, which may be rescored or dropped."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import reduce
from itertools import pairwise
from typing import Any

import numpy as np

from kohaku_lib.index import Snapshot
from kohaku_lib.retrieval.chunks import make_chunks
from kohaku_lib.retrieval.expand import ExpandedMatch, expand
from kohaku_lib.retrieval.penalties import penalise
from kohaku_lib.retrieval.rank import FusedRanking
from kohaku_lib.retrieval.refine_steps import STEPS, Refinement
from kohaku_lib.retrieval.refiner import RefinementQuestion, Refiner
from kohaku_lib.retrieval.reordering import in_new_order, reordered_nodes
from kohaku_lib.retrieval.scored_rows import ScoredRows
from kohaku_lib.settings import RetrievalSettings


@dataclass(frozen=True, slots=True)
class Refined:
    """All ranked nodes and the nodes of the context, both best first, and how they came about."""

    nodes: ScoredRows
    expanded: list[ExpandedMatch]
    dropped: list[dict[str, Any]] = field(default_factory=list)  # node_id and why, of what left the context
    trace: dict[str, Any] = field(default_factory=dict)  # empty where nothing was done
    also_in: dict[str, tuple[str, ...]] = field(default_factory=dict)  # further documents that say the same, by node_id


def refine(
    snapshot: Snapshot,
    ranking: FusedRanking,
    settings: RetrievalSettings,
    question: RefinementQuestion,
    refiner: Refiner | None = None,
) -> Refined:
    """Return `ranking` with the nodes of its context expanded as `settings` say, and refined as `refiner` says.

    In this order: kinds of content are penalised, duplicates dropped, the first `top_n` · depth snippets rescored,
    those below a threshold dropped or the whole context refused, snippets verified, and the rest ordered for
    novelty. A step that fails changes nothing and is named in the trace. Where the order changes, nodes that left the
    context, or never were in it, are ranked behind the others; where snippets only leave, all nodes stay as ranked.
    """
    refiner = refiner or Refiner()
    trace: dict[str, Any] = {}
    if refiner.settings.penalties:
        ranking, trace["penalised"] = _penalise(snapshot, ranking, refiner, question)
    seeds = [(int(snapshot.search_rows[row]), score) for row, score in ranking.context]
    expanded = expand(snapshot, seeds, settings)
    if not refiner.looks_at_snippets:
        return Refined(ranking.nodes, expanded, [], {"refinement": trace} if trace else {})
    chunks = make_chunks(snapshot, expanded, settings.snippet_tokens, question.vector)
    refinement = reduce(
        lambda refinement, step: step(refinement, refiner, question), STEPS, Refinement(chunks, [], trace)
    )
    nodes, kept = ranking.nodes, [chunk.node for chunk in refinement.chunks]
    rescored = {chunk.node.row for chunk in refinement.chunks if chunk.rerank_score is not None}
    if rescored or any(before.rank > after.rank for before, after in pairwise(kept)):
        kept = in_new_order([(chunk.node, chunk.score) for chunk in refinement.chunks])
        nodes = reordered_nodes(snapshot, ranking, kept, rescored)
    return Refined(nodes, kept, refinement.dropped, {"refinement": refinement.trace}, refinement.also_in)


def _penalise(
    snapshot: Snapshot, ranking: FusedRanking, refiner: Refiner, question: RefinementQuestion
) -> tuple[FusedRanking, list[dict[str, Any]]]:
    factors: dict[str, float] = {**refiner.settings.penalties}
    nodes, trace = penalise(snapshot, ranking.nodes, factors, question.text)
    rows, scores = [row for row, _ in ranking.context], [score for _, score in ranking.context]
    context, _ = penalise(snapshot, ScoredRows(np.array(rows, np.int64), np.array(scores)), factors, question.text)
    return FusedRanking(nodes, list(zip(context.rows.tolist(), context.scores.tolist(), strict=True))), trace
