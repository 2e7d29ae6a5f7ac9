"""What a plan means for the search: its settings, and for each query the channels it searches and how much it counts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from kohaku_lib.retrieval.channels import channel_weights
from kohaku_lib.retrieval.plan_rows import MOST_QUERIES
from kohaku_lib.retrieval.spelling import Words, correct
from kohaku_lib.settings import RetrievalSettings
from kohaku_lib.tables import PlannedQuery, QueryPlan

# Results per query, channel and kind that are ranked, however few enter the context. The scale of a score depends on
# it, so it stays the same while it can: a deeper attempt then extends the context and does not reorder it.
LEAST_RANKED = 100
MOST_CANDIDATES = 150  # that a first stage hands to the second one
STAGE_FACTOR = 5  # candidates for each of the usual results


@dataclass(frozen=True, slots=True)
class Ask:
    """One search: a text, the channels it goes through and the results per ranking."""

    text: str
    channels: tuple[str, ...]
    k: int


@dataclass(frozen=True, slots=True)
class Prepared:
    """A plan with the settings that it comes down to, and a search for each of its queries that has a text."""

    plan: QueryPlan
    settings: RetrievalSettings
    depth: int
    asks: tuple[tuple[PlannedQuery, Ask], ...]
    corrections: tuple[tuple[str, str], ...] = ()  # words of the question, and what they became

    def of(self, is_background: bool) -> list[tuple[PlannedQuery, Ask]]:
        """Return the searches for the background, or all the others."""
        return [(query, ask) for query, ask in self.asks if (query.role == "step_back") == is_background]

    def weight(self, query: PlannedQuery) -> float:
        """Return what a query counts in the consensus."""
        if query.weight is not None:
            return query.weight
        return 1.0 if query.role in ("question", "step_back") else self.settings.planned_query_weight


def prepare(plan: QueryPlan, settings: RetrievalSettings, depth: int, words: Words | None = None) -> Prepared:
    """Return what `plan` means under `settings`, at `depth` times the usual results; empty queries are left out.

    A hypothetical passage is never read as words, whatever its plan says. With `words` a question with a slip of the
    pen is searched for as corrected, too.
    """
    plan, corrections = _corrected(plan, words) if words else (plan, ())
    own = plan_settings(plan, settings)
    # Sentences and paragraphs are ranked apart, so k of each give at least 2k nodes.
    k = max(own.top_k * depth // 2 + 1, LEAST_RANKED)
    active = tuple(name for name, weight in channel_weights(own).items() if weight > 0)
    asks = ((query, Ask(query.text, _channels(query, active), k)) for query in plan.queries if query.text.strip())
    return Prepared(plan, own, depth, tuple((query, ask) for query, ask in asks if ask.channels), corrections)


def plan_settings(plan: QueryPlan, settings: RetrievalSettings) -> RetrievalSettings:
    """Return `settings` with what the strategy, the merge and the weights of `plan` change.

    Weights that would leave no channel at all are passed over.

    >>> plan = QueryPlan("q1", weights={"dense": 1.5, "sound": 2.0}, strategy="fusion")
    >>> own = plan_settings(plan, RetrievalSettings(top_k=20))
    >>> own.dense_weight, own.lexical_weight, own.top_k
    (1.5, 0.65, 40)
    """
    own = settings.model_copy(update=dict(_STRATEGIES.get(plan.strategy or "hybrid", _unchanged)(settings)))
    if plan.merge is not None:
        own = own.model_copy(update={"rerank": plan.merge})
    fields = type(settings).model_fields
    weights = {f"{name}_weight": weight for name, weight in plan.weights.items() if f"{name}_weight" in fields}
    weighted = own.model_copy(update=weights)
    return weighted if any(channel_weights(weighted).values()) else own


def _corrected(plan: QueryPlan, words: Words) -> tuple[QueryPlan, tuple[tuple[str, str], ...]]:
    if not plan.queries or any(query.role == "spelling" for query in plan.queries):
        return plan, ()
    correction = correct(plan.queries[0].text, words)
    if correction is None:
        return plan, ()
    # It stands behind the question and takes the place of the last query, where there are as many as there may be.
    queries = (plan.queries[0], PlannedQuery(correction.text, "spelling", weight=1.0), *plan.queries[1:])
    return replace(plan, queries=queries[:MOST_QUERIES]), correction.changes


def _channels(query: PlannedQuery, active: tuple[str, ...]) -> tuple[str, ...]:
    wanted = ("dense",) if query.role == "hyde" else query.channels
    return active if wanted is None else tuple(name for name in active if name in wanted)


Change = Callable[[RetrievalSettings], Mapping[str, object]]


def _unchanged(settings: RetrievalSettings) -> Mapping[str, object]:
    return {}


def _dense_only(settings: RetrievalSettings) -> Mapping[str, object]:
    """Half of the results of one channel: fusion by score, as the rankings of a single channel need no ranks."""
    weights = {"dense_weight": 1.0, "lexical_weight": 0.0, "document_weight": 0.0}
    return {"top_k": max(settings.top_k // 2, 1), "fusion": "minmax", **weights}


def _fusion(settings: RetrievalSettings) -> Mapping[str, object]:
    return {"top_k": settings.top_k * 2}


def _two_stage(settings: RetrievalSettings) -> Mapping[str, object]:
    """More candidates for what rescores them."""
    return {"top_k": max(settings.top_k, min(settings.top_k * STAGE_FACTOR, MOST_CANDIDATES))}


_STRATEGIES: Mapping[str, Change] = {
    "dense_only": _dense_only,
    "hybrid": _unchanged,
    "fusion": _fusion,
    "two_stage": _two_stage,
    "hierarchical": _unchanged,
}
