"""Plans of questions and what is retrieved for them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from kohaku_lib.tables.columns import STRINGS

QUERY = pa.struct(
    [
        pa.field("text", pa.string()),
        pa.field("role", pa.string()),  # question, planned, hyde, step_back, spelling
        pa.field("channels", STRINGS),  # that it searches; None: all
        pa.field("weight", pa.float64()),  # in the consensus; None: 1 of the question, else the setting's
    ]
)

PLAN = pa.struct(
    [
        pa.field("queries", pa.list_(QUERY)),  # the question first
        pa.field("merge", pa.string()),  # how the queries are joined; None: retrieval.rerank
        pa.field("weights", pa.map_(pa.string(), pa.float64())),  # by channel, 0 to 2: times the setting's
        pa.field("channel_top_k", pa.map_(pa.string(), pa.int32())),  # results that count, by channel; missing: all
        pa.field("strategy", pa.string()),  # dense_only, hybrid, fusion, two_stage, hierarchical; None: not routed
        pa.field("intent", pa.string()),
        pa.field("intent_confidence", pa.float64()),
        pa.field("complexity", pa.int32()),
        pa.field("signals", STRINGS),  # what the complexity was counted from
    ]
)

QUERY_PLANS = pa.schema(
    [
        pa.field("id", pa.string(), nullable=False),
        pa.field("plan", PLAN, nullable=False),
        pa.field("planner", pa.string(), nullable=False),  # "rule.v1", "chat.v1"
        pa.field("error", pa.string()),
    ]
)

MATCH = pa.struct(
    [
        pa.field("node_id", pa.string()),
        pa.field("document_id", pa.string()),
        pa.field("kind", pa.string()),
        pa.field("score", pa.float64()),
    ]
)

SNIPPET = pa.struct(
    [
        pa.field("node_id", pa.string()),
        pa.field("document_id", pa.string()),
        pa.field("document_title", pa.string()),
        pa.field("page", pa.int32()),
        pa.field("text", pa.string()),
        pa.field("rank", pa.int32()),  # from 1
        pa.field("score", pa.float64()),
        pa.field("background", pa.bool_()),  # found by a more general question, and placed before the others
        pa.field("also_in", STRINGS),  # further documents that say the same; their own snippets were left out
    ]
)

IMAGE_MATCH = pa.struct(
    [
        pa.field("storage_key", pa.string()),
        pa.field("document_id", pa.string()),
        pa.field("page", pa.int32()),
        pa.field("caption", pa.string()),
        pa.field("score", pa.float64()),  # the best cosine of the queries; None where not searched for
        pa.field("searched", pa.bool_()),  # found by its own vector, not as a neighbour of a snippet
    ]
)

RETRIEVED_CONTEXT = pa.schema(
    [
        pa.field("id", pa.string(), nullable=False),
        pa.field("queries", STRINGS, nullable=False),  # the texts of the plan's queries
        pa.field("plan", PLAN, nullable=False),  # with what retrieval added to it
        pa.field("matches", pa.list_(MATCH), nullable=False),  # all ranked nodes before truncation, best first
        pa.field("snippets", pa.list_(SNIPPET), nullable=False),  # what the prompt holds, best first
        pa.field("images", pa.list_(IMAGE_MATCH), nullable=False),
        pa.field("trace_json", pa.string(), nullable=False),  # ranks per channel, what was dropped and why
    ]
)


@dataclass(frozen=True, slots=True)
class Snippet:
    """A piece of context: the text of a node, its place, and the rank (from 1) and score of its best match."""

    node_id: str
    document_id: str
    document_title: str
    page: int | None
    text: str
    rank: int
    score: float
    background: bool = False  # found by a more general question, and placed before the others
    also_in: tuple[str, ...] = ()  # further documents that say the same; their own snippets were left out


@dataclass(frozen=True, slots=True)
class ImageMatch:
    """A figure that goes with a context; one that was searched for has a score, the best cosine of the queries."""

    storage_key: str
    document_id: str
    page: int | None
    caption: str
    score: float | None = None
    searched: bool = False  # only such a figure may be shown to a model; of the others, the caption


@dataclass(frozen=True, slots=True)
class PlannedQuery:
    """One search query: what it is there for, where it searches and how much it counts."""

    text: str
    role: str = "planned"  # question, planned, hyde, step_back, spelling
    channels: tuple[str, ...] | None = None  # None: all
    weight: float | None = None  # None: 1 for the question, else retrieval.planned_query_weight


@dataclass(frozen=True, slots=True)
class QueryPlan:
    """How a question is searched for: its queries, the question first, and what they change of the settings."""

    id: str
    queries: tuple[PlannedQuery, ...] = ()
    merge: str | None = None  # how the rankings of the queries are joined; None: retrieval.rerank
    weights: Mapping[str, float] = field(default_factory=dict)  # by channel, 0 to 2: times the setting's; missing: 1
    channel_top_k: Mapping[str, int] = field(default_factory=dict)  # results that count, by channel
    strategy: str | None = None  # None: not routed
    intent: str | None = None
    intent_confidence: float | None = None
    complexity: int | None = None
    signals: tuple[str, ...] = ()  # what the complexity was counted from

    @property
    def texts(self) -> tuple[str, ...]:
        """Return the texts of the queries."""
        return tuple(query.text for query in self.queries)


@dataclass(frozen=True, slots=True)
class Match:
    """A ranked node; the score is that of the ranking, higher is better."""

    node_id: str
    document_id: str
    kind: str
    score: float


@dataclass(frozen=True, slots=True)
class RetrievalResult:
    """What retrieval found for one question: all ranked nodes, the packed context, and how it came about."""

    plan: QueryPlan
    matches: tuple[Match, ...] = ()
    snippets: tuple[Snippet, ...] = ()
    images: tuple[ImageMatch, ...] = ()
    trace: dict[str, Any] = field(default_factory=dict)
    timings_ms: dict[str, float] = field(default_factory=dict, compare=False)  # of the steps; never stored

    @property
    def id(self) -> str:
        """Return the id of the plan."""
        return self.plan.id

    @property
    def queries(self) -> tuple[str, ...]:
        """Return the texts of the queries, the question first."""
        return self.plan.texts
