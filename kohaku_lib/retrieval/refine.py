"""What happens to a ranking before it is packed: its nodes are grown to snippets, which may be rescored or dropped."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from kohaku_lib.index import Snapshot
from kohaku_lib.retrieval.expand import Grown, expand
from kohaku_lib.retrieval.rank import Ranking
from kohaku_lib.retrieval.ranked import Ranked
from kohaku_lib.settings import RetrievalSettings


@dataclass(frozen=True, slots=True)
class Asked:
    """The question that a ranking belongs to."""

    id: str
    text: str
    vector: np.ndarray | None = None  # (dim,), of length 1; None where the question has none
    depth: int = 1  # multiplies how many snippets are looked at


@dataclass(frozen=True, slots=True)
class Refined:
    """All ranked nodes and the nodes of the context, both best first, and how they came about."""

    nodes: Ranked
    grown: list[Grown]
    dropped: list[dict[str, Any]] = field(default_factory=list)  # node_id and why, of what left the context
    trace: dict[str, Any] = field(default_factory=dict)  # empty where nothing was done


def refine(snapshot: Snapshot, ranking: Ranking, settings: RetrievalSettings, asked: Asked) -> Refined:
    """Return `ranking` with the nodes of its context grown as `settings` say."""
    seeds = [(int(snapshot.search_rows[row]), score) for row, score in ranking.context]
    return Refined(ranking.nodes, expand(snapshot, seeds, settings))
