"""Refines a ranking before packing: nodes are expanded to snippets, which may be rescored or dropped."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import reduce
from itertools import pairwise
from typing import Any

import numpy as np

from kohaku_lib.index import Snapshot
from kohaku_lib.retrieval.fusion.interface import FusedRanking
from kohaku_lib.retrieval.fusion.scored_rows import ScoredRows
from kohaku_lib.retrieval.refine.candidates import candidates_of
from kohaku_lib.retrieval.refine.copies import copies_among, documents_of_copies
from kohaku_lib.retrieval.refine.dependencies import RefineDependencies, RefinementQuestion
from kohaku_lib.retrieval.refine.expand import ExpandedMatch, expand
from kohaku_lib.retrieval.refine.refine_steps import STEPS, Refinement
from kohaku_lib.settings import RetrievalSettings

_ASKS_FOR = {
    "reference": re.compile(
        r"\b(cit(?:e[sd]?|ing|ations?)|references?|bibliograph\w+|doi|published (?:in|by)|authors? of|written by)\b",
        re.I,
    ),
    "toc": re.compile(r"\b(table of contents|contents page|chapters?|list of (?:figures|tables)|outline)\b", re.I),
    "glossary": re.compile(
        r"\b(defin(?:e[sd]?|itions?)|glossary|meaning of|stands? for|acronyms?|abbreviat\w+)\b", re.I
    ),
    "image_credit": re.compile(r"\b(photo\w*|image credits?|pictures? by|photographers?)\b", re.I),
    "footnote": re.compile(r"\b(footnotes?|endnotes?)\b", re.I),
}
_LEVELS = ("paragraph", "section", "document")


@dataclass(frozen=True, slots=True)
class RefinedRanking:
    """All ranked nodes and the nodes of the context, both best first, with the refinement trace."""

    nodes: ScoredRows
    expanded: list[ExpandedMatch]
    dropped: list[dict[str, Any]] = field(default_factory=list)  # node_id and reason of nodes dropped from the context
    trace: dict[str, Any] = field(default_factory=dict)  # empty if no step ran
    also_in: dict[str, tuple[str, ...]] = field(
        default_factory=dict
    )  # further documents with the same content, by node_id
    best_sentences: dict[int, int] = field(default_factory=dict)  # searched row of that of a paragraph, by its own


def refine(
    snapshot: Snapshot,
    ranking: FusedRanking,
    settings: RetrievalSettings,
    question: RefinementQuestion,
    dependencies: RefineDependencies | None = None,
) -> RefinedRanking:
    """Return `ranking` with the nodes of its context expanded according to `settings` and refined by `dependencies`.

    Steps, in order: penalties by content type, near-copies and deduplication, reranking of the first `top_n` · depth
    snippets, thresholds or refusal of the whole context, verification, diversification, and the cut to `top_k` · depth. A
    step that fails changes nothing and is recorded in the trace. If the order changes, nodes outside the context are ranked
    after the others; if snippets are only dropped, the ranking is unchanged.
    """
    dependencies = dependencies or RefineDependencies()
    trace: dict[str, Any] = {}
    if dependencies.settings.penalties:
        ranking, trace["penalised"] = _penalise_ranking(snapshot, ranking, dependencies, question)
    seeds = [(int(snapshot.search_rows[row]), score) for row, score in ranking.context]
    context = _with_context(
        snapshot, ranking.nodes, expand(snapshot, seeds, settings), drops_copies=settings.merge_duplicates
    )
    if not dependencies.looks_at_snippets:
        return replace(context, trace={"refinement": trace} if trace else {})
    candidates = candidates_of(snapshot, context.expanded, settings.snippet_tokens, question.vector)
    start = Refinement(candidates, context.dropped, trace, context.also_in)
    refinement = reduce(lambda refinement, step: step(refinement, dependencies, question), STEPS, start)
    nodes, context_nodes = ranking.nodes, [candidate.node for candidate in refinement.candidates]
    rescored = {candidate.node.row for candidate in refinement.candidates if candidate.rerank_score is not None}
    if rescored or any(before.rank > after.rank for before, after in pairwise(context_nodes)):
        context_nodes = in_new_order([(candidate.node, candidate.score) for candidate in refinement.candidates])
        nodes = reordered_nodes(snapshot, ranking, context_nodes, rescored)
    return RefinedRanking(
        nodes, context_nodes, refinement.dropped, {"refinement": refinement.trace}, refinement.also_in
    )


def _with_context(
    snapshot: Snapshot, nodes: ScoredRows, expanded: list[ExpandedMatch], *, drops_copies: bool
) -> RefinedRanking:
    """Return the ranking with its context; nodes of the context that nearly repeat a better one are dropped, if asked."""
    rows = [node.row for node in expanded]
    copies = copies_among(snapshot, rows) if drops_copies else {}
    names = snapshot.column("node_id", rows)
    return RefinedRanking(
        nodes,
        [node for at, node in enumerate(expanded) if at not in copies],
        [{"node_id": names[at], "why": "copy", "of": names[of]} for at, of in copies.items()],
        also_in=documents_of_copies(snapshot, rows, copies),
    )


def _penalise_ranking(
    snapshot: Snapshot, ranking: FusedRanking, dependencies: RefineDependencies, question: RefinementQuestion
) -> tuple[FusedRanking, list[dict[str, Any]]]:
    factors: dict[str, float] = {**dependencies.settings.penalties}
    nodes, trace = penalise(snapshot, ranking.nodes, factors, question.text)
    rows, scores = [row for row, _ in ranking.context], [score for _, score in ranking.context]
    context, _ = penalise(snapshot, ScoredRows(np.array(rows, np.int64), np.array(scores)), factors, question.text)
    return FusedRanking(nodes, list(zip(context.rows.tolist(), context.scores.tolist(), strict=True))), trace


def penalise(
    snapshot: Snapshot, ranking: ScoredRows, factors: Mapping[str, float], question: str
) -> tuple[ScoredRows, list[dict[str, Any]]]:
    """Multiply the score of each node by the factor of its content type, and list the penalised nodes.

    A factor is skipped if the question asks for that type ("cite", "define", "which chapter"). A negative score is
    lowered by (1 - factor) of its size, so that a penalty never raises it. Equal scores keep their order. Penalised
    nodes are listed with node_id, content_type, score_before and score.
    """
    exempt_types = asked_types(question)
    rows = snapshot.search_rows[ranking.rows]
    types = snapshot.column("content_type", rows)
    factor = np.array([1.0 if kind in exempt_types else factors.get(kind, 1.0) for kind in types])
    scores = penalised(ranking.scores, factor)
    order = np.argsort(-scores, kind="stable")
    lowered = np.flatnonzero(factor < 1.0)
    node_ids = snapshot.column("node_id", rows[lowered])
    trace = [
        {
            "node_id": node_id,
            "content_type": types[at],
            "score_before": float(ranking.scores[at]),
            "score": float(scores[at]),
        }
        for node_id, at in zip(node_ids, lowered.tolist(), strict=True)
    ]
    return ScoredRows(ranking.rows[order], scores[order]), trace


def penalised(scores: np.ndarray, factors: np.ndarray) -> np.ndarray:
    """Return the scores lowered by their factors, from 0 to 1.

    >>> penalised(np.array([0.8, -0.2]), np.array([0.5, 0.5])).round(3).tolist()
    [0.4, -0.3]
    """
    return scores - np.abs(scores) * (1.0 - factors)


def asked_types(question: str) -> set[str]:
    """Return the content types that `question` asks for.

    >>> sorted(asked_types("Which papers does chapter 2 cite?")), asked_types("How much water does it use?")
    (['reference', 'toc'], set())
    """
    return {kind for kind, words in _ASKS_FOR.items() if words.search(question)}


def in_new_order(scored_nodes: Sequence[tuple[ExpandedMatch, float]]) -> list[ExpandedMatch]:
    """Return nodes with the ranks 1, 2, … of their new order and non-increasing scores.

    A score larger than the one before it (after diversification, or without a rerank score) is lowered to it.

    >>> nodes = [ExpandedMatch(7, 7, 3, 0.5), ExpandedMatch(4, 4, 1, 0.9)]
    >>> [(node.row, node.rank, node.score) for node in in_new_order([(nodes[0], 0.7), (nodes[1], 0.9)])]
    [(7, 1, 0.7), (4, 2, 0.7)]
    """
    scores = np.minimum.accumulate([score for _, score in scored_nodes] or [0.0])
    return [
        replace(node, rank=rank, score=float(score))
        for rank, ((node, _), score) in enumerate(zip(scored_nodes, scores, strict=False), 1)
    ]


def reordered_nodes(
    snapshot: Snapshot, ranking: FusedRanking, context_nodes: Sequence[ExpandedMatch], rescored: Set[int]
) -> ScoredRows:
    """Return all ranked nodes: those of the context in the order of their snippets in `context_nodes`, then the rest.

    A node whose snippet was rescored (`rescored`, by row) gets its score; scores are non-increasing.
    """
    place_by_row: dict[int, int] = {}
    for place, node in enumerate(context_nodes):
        place_by_row.setdefault(node.row, place)
    entered = {row for row, _ in ranking.context}
    behind = len(context_nodes)
    rows = snapshot.search_rows[ranking.nodes.rows].tolist()
    places = np.full(len(rows), behind)
    scores = ranking.nodes.scores.copy()
    for at, (row, searched_row) in enumerate(zip(rows, ranking.nodes.rows.tolist(), strict=True)):
        if searched_row not in entered:
            continue
        snippet_row = next((line for line in (row, *snapshot.parents(row, len(_LEVELS))) if line in place_by_row), None)
        if snippet_row is not None:
            places[at] = place_by_row[snippet_row]
            if snippet_row in rescored:
                scores[at] = context_nodes[places[at]].score
    order = np.argsort(places, kind="stable")
    return ScoredRows(ranking.nodes.rows[order], np.minimum.accumulate(scores[order]) if len(rows) else scores)
