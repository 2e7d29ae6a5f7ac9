"""Prepares a plan for search: effective settings, and the channels and weight of each query."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from kohaku_lib.retrieval.channels.interface import CHANNELS
from kohaku_lib.retrieval.fusion.interface import FUSIONS
from kohaku_lib.retrieval.planning.intent_hints import RELATED_SHARE, hints_for
from kohaku_lib.retrieval.planning.plan_rows import MOST_QUERIES
from kohaku_lib.retrieval.planning.spelling import Words, correct
from kohaku_lib.retrieval.planning.statements import statement_queries
from kohaku_lib.retrieval.search.search_channels import channel_weights
from kohaku_lib.settings import RetrievalSettings
from kohaku_lib.tables import PlannedQuery, QueryPlan

# Minimum number of ranked results per query, channel and kind. The scale of a score depends on it, so it is constant as
# far as possible: a deeper attempt then extends the context without reordering it.
LEAST_RANKED = 100
MOST_CANDIDATES = 150  # from the first stage to the second
AS_WRITTEN = 0.3  # weight of the original question next to its correction
STATEMENT = 0.7  # weight of a query for a financial statement
STAGE_FACTOR = 5  # candidates per result


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """One search: a text, the channels to search and the results per ranking."""

    text: str
    channels: tuple[str, ...]
    k: int


@dataclass(frozen=True, slots=True)
class PreparedPlan:
    """A plan with its effective settings, and a search request for each non-empty query."""

    plan: QueryPlan
    settings: RetrievalSettings
    depth: int
    requests: tuple[tuple[PlannedQuery, SearchRequest], ...]
    corrections: tuple[tuple[str, str], ...] = ()  # replaced words and their replacements

    def of(self, is_background: bool) -> list[tuple[PlannedQuery, SearchRequest]]:
        """Return the requests for background queries, or all others."""
        return [(query, request) for query, request in self.requests if (query.role == "step_back") == is_background]

    def weight(self, query: PlannedQuery) -> float:
        """Return the weight of a query in the consensus."""
        if query.weight is not None:
            return query.weight
        return 1.0 if query.role in ("question", "step_back") else self.settings.planned_query_weight


def prepare(plan: QueryPlan, settings: RetrievalSettings, depth: int, words: Words | None = None) -> PreparedPlan:
    """Prepare `plan` under `settings`, with `depth` times the usual results; empty queries are dropped.

    A hypothetical passage is never searched lexically. With `words`, a misspelled question is searched as corrected,
    and as written with less weight. A question about a measure of financial statements is also searched by the words of
    these.
    """
    plan, corrections = _correct_plan(plan, words) if words else (plan, ())
    plan = _add_statements(plan) if settings.statement_words else plan
    own = plan_settings(plan, settings)
    k = _results_per_list(own, depth)
    active = tuple(name for name, weight in channel_weights(own).items() if weight > 0)
    requests = (
        (query, SearchRequest(query.text, _query_channels(query, active), k))
        for query in plan.queries
        if query.text.strip()
    )
    return PreparedPlan(
        plan, own, depth, tuple((query, request) for query, request in requests if request.channels), corrections
    )


def _results_per_list(settings: RetrievalSettings, depth: int) -> int:
    """Return how many results of each kind of node a channel is asked for."""
    if settings.candidates == "ranked":
        # Sentences and paragraphs are ranked separately, so k of each give at least 2k nodes.
        least = max(settings.top_k * depth // 2 + 1, LEAST_RANKED)
    else:
        least = max(settings.top_k * depth, settings.bm25_top_k if settings.fusion == "append" else 0)
    return max(least, *(k * depth for k in settings.channel_top_k.values()), 0)


def plan_settings(plan: QueryPlan, settings: RetrievalSettings) -> RetrievalSettings:
    """Return `settings` with the changes by the strategy, the merge, the weights and the intent of `plan`.

    A weight of a plan multiplies that of the settings, so disabled channels remain disabled. Weights that would disable
    all channels are ignored.

    >>> plan = QueryPlan("q1", weights={"dense": 1.5, "sound": 2.0}, strategy="fusion")
    >>> own = plan_settings(plan, RetrievalSettings(dense_weight=0.4, lexical_weight=0.6, top_k=20))
    >>> round(own.dense_weight, 3), own.lexical_weight, own.top_k
    (0.6, 0.6, 40)
    """
    own = settings.model_copy(update=dict(_STRATEGIES.get(plan.strategy or "hybrid", _keep_settings)(settings)))
    if plan.merge is not None:
        own = own.model_copy(update={"consensus": plan.merge})
    keys = {channel.weight_key: channel.name for channel in CHANNELS if channel.weight_key}
    hints = hints_for(plan.intent) if settings.intent_hints else None
    if hints is not None:
        own = own.model_copy(update={"top_k_final": hints.top_k, "threshold": hints.threshold})
        if hints.use_kg:
            own = own.model_copy(update={"related_share": max(own.related_share, RELATED_SHARE)})
    factors = {key: plan.weights[name] for key, name in keys.items() if name in plan.weights}
    weighted = own.model_copy(update={key: factor * getattr(own, key) for key, factor in factors.items()})
    return weighted if any(channel_weights(weighted).values()) else own


def _correct_plan(plan: QueryPlan, words: Words) -> tuple[QueryPlan, tuple[tuple[str, str], ...]]:
    if not plan.queries or any(query.role == "spelling" for query in plan.queries):
        return plan, ()
    try:
        correction = correct(plan.queries[0].text, words)
    except Exception:  # correction is optional; a broken vocabulary makes its channel fail too
        return plan, ()
    if correction is None:
        return plan, ()
    # The original question is kept in case it is correct; planned queries contain the same words.
    question = replace(plan.queries[0], weight=AS_WRITTEN)
    mended = PlannedQuery(correction.text, "spelling", weight=1.0)
    others = (replace(query, text=correction.mend(query.text)) for query in plan.queries[1:])
    return replace(plan, queries=(question, mended, *others)[:MOST_QUERIES]), correction.changes


def _add_statements(plan: QueryPlan) -> QueryPlan:
    if not plan.queries or any(query.role == "statement" for query in plan.queries):
        return plan
    texts = statement_queries(plan.queries[0].text)
    queries = (*plan.queries, *(PlannedQuery(text, "statement", weight=STATEMENT) for text in texts))
    return replace(plan, queries=queries[:MOST_QUERIES])


def _query_channels(query: PlannedQuery, active: tuple[str, ...]) -> tuple[str, ...]:
    channels = ("dense",) if query.role == "hyde" else query.channels
    return active if channels is None else tuple(name for name in active if name in channels)


Change = Callable[[RetrievalSettings], Mapping[str, object]]


def _keep_settings(settings: RetrievalSettings) -> Mapping[str, object]:
    return {}


def _dense_only(settings: RetrievalSettings) -> Mapping[str, object]:
    """Half of the results of one channel; requires a weighted fusion."""
    weights = {name: float(name == "dense_weight") for name in type(settings).model_fields if name.endswith("_weight")}
    weights |= {"planned_query_weight": settings.planned_query_weight}
    fusion = settings.fusion if FUSIONS.get(settings.fusion).is_weighted else "minmax"
    return {"top_k": max(settings.top_k // 2, 1), "fusion": fusion, **weights}


def _fusion_settings(settings: RetrievalSettings) -> Mapping[str, object]:
    return {"top_k": settings.top_k * 2}


def _two_stage(settings: RetrievalSettings) -> Mapping[str, object]:
    """More candidates for the second stage."""
    return {"top_k": max(settings.top_k, min(settings.top_k * STAGE_FACTOR, MOST_CANDIDATES))}


_STRATEGIES: Mapping[str, Change] = {
    "dense_only": _dense_only,
    "hybrid": _keep_settings,
    "fusion": _fusion_settings,
    "two_stage": _two_stage,
    "hierarchical": _keep_settings,
}
