"""The ways that `retrieval.rerank` names to rank nodes by the agreement of a question's queries."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kohaku_lib.registry import Registry, lazy

if TYPE_CHECKING:
    from kohaku_lib.retrieval.fusion.scored_rows import ScoredRows
    from kohaku_lib.settings import RetrievalSettings


@dataclass(frozen=True, slots=True)
class ConsensusKind:
    """A way to join the rankings of a question's queries; `settings_keys` are fields of RetrievalSettings."""

    name: str
    rank: Callable[[Sequence[ScoredRows], Sequence[float], RetrievalSettings], ScoredRows]  # rankings, their weights
    settings_keys: tuple[str, ...] = ("dedup_first", "planned_query_weight")
    orders_by_score: bool = True


CONSENSUS: Registry[ConsensusKind] = Registry("consensus")

CONSENSUS.register(ConsensusKind("frequency", lazy("kohaku_lib.retrieval.fusion.consensus:by_frequency")))
CONSENSUS.register(ConsensusKind("score", lazy("kohaku_lib.retrieval.fusion.consensus:by_score")))
CONSENSUS.register(ConsensusKind("combined", lazy("kohaku_lib.retrieval.fusion.consensus:by_both")))
CONSENSUS.register(
    ConsensusKind(
        "rrf", lazy("kohaku_lib.retrieval.fusion.consensus:by_rank"), ("rrf_k", "dedup_first", "planned_query_weight")
    )
)
CONSENSUS.register(
    ConsensusKind(
        "none", lazy("kohaku_lib.retrieval.fusion.consensus:in_order"), ("deduplicate",), orders_by_score=False
    )
)
