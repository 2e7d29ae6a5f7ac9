"""Query plans and retrieval results."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from kohaku_lib.tables.columns import STRINGS
from kohaku_lib.text.equal_signs import equal_words

QUERY = pa.struct(
    [
        pa.field("text", pa.string()),
        pa.field("role", pa.string()),  # question, planned, hyde, step_back, spelling, statement
        pa.field("channels", STRINGS),  # to search; None: all
        pa.field("weight", pa.float64()),  # in the consensus; None: 1 for the question, else the setting's
    ]
)

PLAN = pa.struct(
    [
        pa.field("queries", pa.list_(QUERY)),  # the question first
        pa.field("merge", pa.string()),  # how the queries are merged; None: retrieval.consensus
        pa.field("weights", pa.map_(pa.string(), pa.float64())),  # by channel, 0 to 2: times the setting's
        pa.field("channel_top_k", pa.map_(pa.string(), pa.int32())),  # results used, by channel; missing: all
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
        pa.field("best_sentence", pa.string()),  # node_id of that of a paragraph; None if none was found by itself
        pa.field("also_in", STRINGS),  # further documents with a near-copy, which takes no place of its own
    ]
)

PAGE_START = pa.struct([pa.field("char_start", pa.int32()), pa.field("page", pa.int32())])

SNIPPET = pa.struct(
    [
        pa.field("node_id", pa.string()),
        pa.field("document_id", pa.string()),
        pa.field("document_title", pa.string()),
        pa.field("page", pa.int32()),
        pa.field("text", pa.string()),
        pa.field("rank", pa.int32()),  # from 1
        pa.field("score", pa.float64()),
        pa.field("background", pa.bool_()),  # found by a more general question, and placed first
        pa.field("also_in", STRINGS),  # further documents with the same content, whose snippets were dropped
        pa.field("heading", pa.string()),  # those above the text, outermost first; empty if none but the title
        pa.field("page_starts", pa.list_(PAGE_START)),  # of every page, if there are several
        pa.field("path", pa.string()),  # folders and name of the file, without its ending
    ]
)

IMAGE_MATCH = pa.struct(
    [
        pa.field("storage_key", pa.string()),
        pa.field("document_id", pa.string()),
        pa.field("page", pa.int32()),
        pa.field("caption", pa.string()),
        pa.field("score", pa.float64()),  # best cosine over the queries; None if not searched by vector
        pa.field("searched", pa.bool_()),  # found by vector, not as a neighbour of a snippet
    ]
)

RETRIEVED_CONTEXT = pa.schema(
    [
        pa.field("id", pa.string(), nullable=False),
        pa.field("queries", STRINGS, nullable=False),  # the texts of the plan's queries
        pa.field("plan", PLAN, nullable=False),  # including additions by retrieval
        pa.field("matches", pa.list_(MATCH), nullable=False),  # all ranked nodes before truncation, best first
        pa.field("snippets", pa.list_(SNIPPET), nullable=False),  # the context of the prompt, best first
        pa.field("images", pa.list_(IMAGE_MATCH), nullable=False),
        pa.field("trace_json", pa.string(), nullable=False),  # ranks per channel, dropped results with reasons
    ]
)


@dataclass(frozen=True, slots=True)
class Snippet:
    """A part of the context: the text of a node, its location, and the rank (from 1), score and page of its best match."""

    node_id: str
    document_id: str
    document_title: str
    page: int | None
    text: str
    rank: int
    score: float
    background: bool = False  # found by a more general question, and placed first
    also_in: tuple[str, ...] = ()  # further documents with the same content, whose snippets were dropped
    heading: str = ""  # those above the text, outermost first; empty if none but the title
    page_starts: tuple[tuple[int, int], ...] = ()  # (char_start, page) of every page, if there are several
    path: str = ""  # folders and name of the file, without its ending; empty without a file

    def page_at(self, char_start: int) -> int | None:
        """Return the page on which the character at `char_start` of the text stands.

        It is that of the match, `page`, where no later page begins within the text, and before the first start.

        >>> snippet = Snippet("d:p1", "d", "D", 2, "On two. On three.", 1, 1.0, page_starts=((0, 2), (8, 3)))
        >>> snippet.page_at(7), snippet.page_at(8)
        (2, 3)
        """
        return next((page for start, page in reversed(self.page_starts) if start <= char_start), self.page)

    @property
    def place(self) -> str:
        """The folders and the name of the file, the title of the document, and the headings above the text.

        A name whose words the title says is left out.

        >>> Snippet("d:p1", "d", "Rules of 2026", 1, "Ten.", 1, 1.0, heading="Lockers / Deposit", path="pool/2026-rules").place
        'pool / Rules of 2026 / Lockers / Deposit'
        """
        *folders, name = self.path.split("/")
        is_said = _words(name) <= _words(self.document_title)
        return " / ".join(filter(None, (*folders, "" if is_said else name, self.document_title, self.heading)))


@dataclass(frozen=True, slots=True)
class ImageMatch:
    """A figure of a context; one found by vector has a score, the best cosine over the queries."""

    storage_key: str
    document_id: str
    page: int | None
    caption: str
    score: float | None = None
    searched: bool = False  # only such figures may be sent to a model; of others, the caption


@dataclass(frozen=True, slots=True)
class PlannedQuery:
    """A search query with its role, channels and weight."""

    text: str
    role: str = "planned"  # question, planned, hyde, step_back, spelling, statement
    channels: tuple[str, ...] | None = None  # None: all
    weight: float | None = None  # None: 1 for the question, else retrieval.planned_query_weight


@dataclass(frozen=True, slots=True)
class QueryPlan:
    """The search plan of a question: its queries, the question first, and overrides of settings."""

    id: str
    queries: tuple[PlannedQuery, ...] = ()
    merge: str | None = None  # how the rankings of the queries are merged; None: retrieval.consensus
    weights: Mapping[str, float] = field(default_factory=dict)  # by channel, 0 to 2: times the setting's; missing: 1
    channel_top_k: Mapping[str, int] = field(default_factory=dict)  # results used, by channel
    strategy: str | None = None  # None: not routed
    intent: str | None = None
    intent_confidence: float | None = None
    complexity: int | None = None
    signals: tuple[str, ...] = ()  # what the complexity was counted from

    @property
    def texts(self) -> tuple[str, ...]:
        """The texts of the queries."""
        return tuple(query.text for query in self.queries)


@dataclass(frozen=True, slots=True)
class Match:
    """A ranked node with its ranking score; higher is better."""

    node_id: str
    document_id: str
    kind: str
    score: float
    best_sentence: str | None = None  # node_id of that of a paragraph; None if none was found by itself
    also_in: tuple[str, ...] = ()  # further documents with a near-copy, which takes no place of its own


@dataclass(frozen=True, slots=True)
class RetrievalResult:
    """The retrieval result of one question: all ranked nodes, the packed context, and a trace."""

    plan: QueryPlan
    matches: tuple[Match, ...] = ()
    snippets: tuple[Snippet, ...] = ()
    images: tuple[ImageMatch, ...] = ()
    trace: dict[str, Any] = field(default_factory=dict)
    timings_ms: dict[str, float] = field(default_factory=dict, compare=False)  # per step; not stored

    @property
    def id(self) -> str:
        """The id of the question."""
        return self.plan.id

    @property
    def queries(self) -> tuple[str, ...]:
        """The texts of the queries, the question first."""
        return self.plan.texts


def _words(text: str) -> set[str]:
    return set(_WORD.findall(equal_words(text)))


_WORD = re.compile(r"[^\W_]+")
