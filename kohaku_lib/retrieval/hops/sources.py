"""Where a second hop starts: the question and the best passages of its ranking."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kohaku_lib.index import Snapshot
from kohaku_lib.retrieval.fusion.scored_rows import ScoredRows
from kohaku_lib.settings import LexicalSettings

PASSAGES = 10  # best paragraphs from which hops start


@dataclass(frozen=True, slots=True)
class HopQuestion:
    """A question with the limits of its search."""

    text: str
    lexical: LexicalSettings
    allowed: np.ndarray | None = None  # (searched,) bool: the rows that may be found; None: all
    org_id: str | None = None  # the tenant whose entities are followed; None: all


@dataclass(frozen=True, slots=True)
class Passages:
    """The best paragraphs of a ranking, best first."""

    places: np.ndarray  # (n,) number of each among the searched paragraphs
    shares: np.ndarray  # (n,) score of its best node relative to the best of the ranking, above 0


def best_passages(snapshot: Snapshot, ranking: ScoredRows) -> Passages:
    """Return the first ten paragraphs of `ranking`; a sentence counts as its paragraph."""
    places = paragraph_places(snapshot, ranking.rows)
    usable = np.flatnonzero((places >= 0) & (ranking.scores > 0))
    _, first = np.unique(places[usable], return_index=True)
    at = usable[np.sort(first)][:PASSAGES]
    return Passages(places[at], ranking.scores[at] / ranking.scores.max(initial=0.0))


def paragraph_places(snapshot: Snapshot, rows: np.ndarray) -> np.ndarray:
    """Return the number among the searched paragraphs of each searched row or its parent; negative if it has none."""
    paragraphs = np.where(rows < snapshot.sentences, snapshot.search_parents[rows], rows)
    return np.where(paragraphs >= 0, paragraphs - snapshot.sentences, -1)
