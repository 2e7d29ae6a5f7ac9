"""Candidate snippets with the features used in refinement."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from kohaku_lib.index import Snapshot
from kohaku_lib.retrieval.packing.pack import snippet_text
from kohaku_lib.retrieval.refine.expand import ExpandedMatch


@dataclass(frozen=True, slots=True)
class Candidate:
    """A candidate snippet: a node that may enter the context, with its snippet text, vector and scores."""

    snapshot: Snapshot
    snippet_tokens: int  # of the longest text
    node: ExpandedMatch
    node_id: str
    document_id: str
    vector: np.ndarray  # (dim,), zeros if the node has none
    cosine: float | None  # of the question to the node or its match, the larger one; None if unknown
    rerank_score: float | None = None
    joined_score: float | None = None  # of the reranker and the ranking; None if not rescored

    @property
    def text(self) -> str:
        """The snippet text for the prompt."""
        return snippet_text(self.snapshot, self.node, self.snippet_tokens)[0]

    @property
    def score(self) -> float:
        """The score after reranking if there is one, else that of the ranking."""
        return self.node.score if self.joined_score is None else self.joined_score

    def rescored(self, rerank_score: float | None, joined_score: float | None) -> Candidate:
        """Return the candidate with a rerank score and the combined score."""
        return replace(self, rerank_score=rerank_score, joined_score=joined_score)


def candidates_of(
    snapshot: Snapshot, expanded: Sequence[ExpandedMatch], snippet_tokens: int, question: np.ndarray | None
) -> list[Candidate]:
    """Return a candidate for each node; `question` is the vector (dim,) of the question, None if not available."""
    rows, matches = [node.row for node in expanded], [node.match_row for node in expanded]
    vectors, of_matches = node_vectors(snapshot, rows), node_vectors(snapshot, matches)
    cosines: list[float | None] = [None] * len(expanded)
    if question is not None and np.any(question):
        nearest = np.maximum(vectors @ question, of_matches @ question)
        has_any = np.any((vectors != 0) | (of_matches != 0), axis=1)
        cosines = [float(nearest[at]) if has_any[at] else None for at in range(len(expanded))]
    node_ids, document_ids = (snapshot.column(name, rows) for name in ("node_id", "document_id"))
    return [
        Candidate(snapshot, snippet_tokens, *own)
        for own in zip(expanded, node_ids, document_ids, vectors, cosines, strict=True)
    ]


def node_vectors(snapshot: Snapshot, rows: Sequence[int]) -> np.ndarray:
    """Return the main vectors of nodes (n, dim), by their rows; zeros for a node that is not searched."""
    places = snapshot.search_row_of_node[np.array(rows, np.int64)]
    vectors = np.asarray(snapshot.vectors("main")[np.maximum(places, 0)], np.float32)
    vectors[places < 0] = 0.0
    return vectors
