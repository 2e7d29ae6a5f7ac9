"""The Arrow schema of every table that crosses a stage, and the payload classes that parsers produce.

A stage function takes tables of these schemas and returns one. Columns that end in `_json` hold one JSON
object as text. `None` means unknown, zero means zero; pages count from 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

STRINGS = pa.list_(pa.string())
BOX = pa.list_(pa.float32())

SOURCE_FILES = pa.schema(
    [
        pa.field(
            "path", pa.string(), nullable=False
        ),  # relative to corpus.documents, POSIX; "" where only metadata is known
        pa.field("document_id", pa.string(), nullable=False),
        pa.field("sha256", pa.string()),  # None where there is no file
        pa.field("size_bytes", pa.int64()),
        pa.field("status", pa.string(), nullable=False),  # "ready", or the reason why it will not be indexed
        pa.field(
            "metadata_json", pa.string(), nullable=False
        ),  # the row of metadata.csv: type, title, year, citation, url
    ]
)

DOCUMENTS = pa.schema(
    [
        pa.field("document_id", pa.string(), nullable=False),
        pa.field("org_id", pa.string(), nullable=False),
        pa.field("path", pa.string(), nullable=False),
        pa.field("sha256", pa.string(), nullable=False),
        pa.field("mime_type", pa.string(), nullable=False),
        pa.field("title", pa.string(), nullable=False),
        pa.field("pages", pa.int32()),  # None where the format has none
        pa.field("status", pa.string(), nullable=False),  # "parsed", "needs_ocr" or "failed"
        pa.field("error", pa.string()),  # one sentence
        pa.field("metadata_json", pa.string(), nullable=False),  # type, year, citation, url, ...
        pa.field("payload_json", pa.string()),  # KohakuRAG's document payload; None unless parsed
    ]
)

DOCUMENT_IMAGES = pa.schema(
    [
        pa.field("storage_key", pa.string(), nullable=False),  # img:{document_id}:p{page}:i{idx}, both from 1
        pa.field("document_id", pa.string(), nullable=False),
        pa.field("page", pa.int32(), nullable=False),
        pa.field("idx", pa.int32(), nullable=False),
        pa.field("name", pa.string(), nullable=False),
        pa.field("mime", pa.string(), nullable=False),
        pa.field("width", pa.int32(), nullable=False),
        pa.field("height", pa.int32(), nullable=False),
        pa.field("sha256", pa.string(), nullable=False),  # of `bytes`
        pa.field("page_caption", pa.string()),  # as printed on the page, "Figure 3: ..."
        pa.field("figure_text", pa.string()),  # words within a drawn figure: ticks, labels, legends
        pa.field("bytes", pa.binary(), nullable=False),
    ]
)

IMAGE_CAPTIONS = pa.schema(
    [
        pa.field("storage_key", pa.string(), nullable=False),
        pa.field("document_id", pa.string(), nullable=False),
        pa.field("page", pa.int32(), nullable=False),
        pa.field("idx", pa.int32(), nullable=False),
        pa.field("text", pa.string(), nullable=False),  # "[img:NAME WxH] caption"
        pa.field("caption_source", pa.string(), nullable=False),  # "page", "ocr" or "vision_model"
    ]
)

NODES = pa.schema(
    [
        pa.field("node_id", pa.string(), nullable=False),  # doc, doc:sec1, doc:sec1:p2, doc:sec1:p2:s3
        pa.field("org_id", pa.string(), nullable=False),
        pa.field("document_id", pa.string(), nullable=False),
        pa.field("parent_id", pa.string()),  # None for documents
        pa.field(
            "parent_row", pa.int32(), nullable=False
        ),  # row of the parent in this table, -1 for documents; a parent stands before its children
        pa.field("kind", pa.string(), nullable=False),  # document, section, paragraph, sentence
        pa.field("ordinal", pa.int32(), nullable=False),  # position among the siblings, from 0
        pa.field(
            "title", pa.string(), nullable=False
        ),  # document or section title; the section's for its paragraphs and sentences
        pa.field("text", pa.string(), nullable=False),
        pa.field("content_sha256", pa.string(), nullable=False),  # of `text`
        pa.field(
            "char_start", pa.int32()
        ),  # offsets of a sentence in its paragraph's text; a table row's own text names the columns instead
        pa.field("char_end", pa.int32()),
        pa.field("page", pa.int32()),
        pa.field("bbox", BOX),  # [x0, y0, x1, y1] in points on that page
        pa.field("modality", pa.string(), nullable=False),  # text, table, image, image_caption
        pa.field("content_type", pa.string(), nullable=False),  # body, reference, ...
        pa.field(
            "searchable", pa.bool_(), nullable=False
        ),  # sentences and paragraphs with real text; no uncaptioned image placeholder
        pa.field("token_count", pa.int32(), nullable=False),  # estimate: characters / 4, at least 1
        pa.field("metadata_json", pa.string(), nullable=False),
    ]
)


def vector_schema(dim: int) -> pa.Schema:
    """Return the schema of vectors of `dim` float32 components keyed by node (or image storage key).

    >>> vector_schema(384).names
    ['node_id', 'vector', 'norm_ok']
    """
    return pa.schema(
        [
            pa.field("node_id", pa.string(), nullable=False),
            pa.field("vector", pa.list_(pa.float32(), dim), nullable=False),
            pa.field("norm_ok", pa.bool_(), nullable=False),  # False for a zero vector, which is never returned
        ]
    )


LEXICAL = pa.schema(
    [
        pa.field("node_id", pa.string(), nullable=False),
        pa.field("tokens", STRINGS, nullable=False),  # of searchable sentences and paragraphs, in order
    ]
)

RELATION = pa.struct(
    [
        pa.field("target_id", pa.string()),  # entity_id of the object
        pa.field("relation_type", pa.string()),
        pa.field("confidence", pa.float32()),
    ]
)

MENTIONS = pa.schema(
    [
        pa.field("entity_id", pa.string(), nullable=False),
        pa.field("entity_type", pa.string(), nullable=False),
        pa.field("name", pa.string(), nullable=False),  # as first seen
        pa.field("canonical_name", pa.string(), nullable=False),
        pa.field(
            "node_id", pa.string(), nullable=False
        ),  # the sentence, or the paragraph without sentences; the document for its title
        pa.field("document_id", pa.string(), nullable=False),
        pa.field("span_text", pa.string(), nullable=False),
        pa.field("char_start", pa.int32(), nullable=False),  # in the node's text
        pa.field("char_end", pa.int32(), nullable=False),
        pa.field("confidence", pa.float32(), nullable=False),
        pa.field("relations", pa.list_(RELATION), nullable=False),  # that the node states of the entity
    ]
)

VECTOR_TABLES = pa.schema(
    [
        pa.field("index_version", pa.string(), nullable=False),
        pa.field("table", pa.string(), nullable=False),  # a table or vector space of the snapshot
        pa.field("rows", pa.int64(), nullable=False),
    ]
)

QUESTIONS = pa.schema(
    [
        pa.field("id", pa.string(), nullable=False),
        pa.field("question", pa.string(), nullable=False),
        pa.field("answer_unit", pa.string()),
        pa.field("has_truth", pa.bool_(), nullable=False),
        pa.field("row_json", pa.string(), nullable=False),  # the whole input row, its columns in order
        pa.field("problem", pa.string()),  # why this row cannot be asked; None where it can
    ]
)

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

CITATION = pa.struct(
    [
        pa.field("document_id", pa.string()),
        pa.field("node_id", pa.string()),
        pa.field("page", pa.int32()),
        pa.field("quote", pa.string()),
        pa.field("verified", pa.bool_()),
        pa.field("char_start", pa.int32()),  # of the quote in the snippet's text; None where it is not verified
        pa.field("char_end", pa.int32()),
    ]
)

PREDICTIONS = pa.schema(
    [
        pa.field("run", pa.int32(), nullable=False),  # from 0
        pa.field("run_label", pa.string(), nullable=False),
        pa.field("id", pa.string(), nullable=False),
        pa.field("question", pa.string(), nullable=False),
        pa.field("answer", pa.string(), nullable=False),
        pa.field("answer_value", pa.string(), nullable=False),  # "is_blank" where there is none
        pa.field("answer_unit", pa.string(), nullable=False),
        pa.field("ref_id", STRINGS, nullable=False),  # document ids; empty where blank
        pa.field("ref_url", STRINGS, nullable=False),
        pa.field("supporting_materials", pa.string(), nullable=False),
        pa.field("explanation", pa.string(), nullable=False),
        pa.field("confidence", pa.float64()),
        pa.field("citations", pa.list_(CITATION), nullable=False),
        pa.field("attempts", pa.int32(), nullable=False),  # retrieval depths tried
        pa.field("dropped_refs", pa.int32(), nullable=False),  # cited documents that do not exist
        pa.field("error", pa.string()),  # why the row is blank, where it is so by a fault
        pa.field("raw_response", pa.string()),
        pa.field("trace_json", pa.string(), nullable=False),  # every attempt
        pa.field("ref_cell", pa.string()),  # the references as a recorded run wrote them, where the row is replayed
    ]
)

ENSEMBLE_VOTES = pa.schema(
    [
        pa.field("id", pa.string(), nullable=False),
        pa.field("question", pa.string(), nullable=False),
        pa.field("answer", pa.string(), nullable=False),
        pa.field("answer_value", pa.string(), nullable=False),
        pa.field("answer_unit", pa.string(), nullable=False),
        pa.field("ref_id", STRINGS, nullable=False),
        pa.field("ref_url", STRINGS, nullable=False),
        pa.field("supporting_materials", pa.string(), nullable=False),
        pa.field("explanation", pa.string(), nullable=False),
        pa.field("agreement", pa.float64(), nullable=False),  # share of the counted votes for the winner
        pa.field("probability", pa.float64()),  # that the winner is right, where the mode estimates it
        pa.field("votes_json", pa.string(), nullable=False),  # who voted what: [{"member", "answer_value", "ref_id"}]
        pa.field("ref_cell", pa.string()),  # the references as the only run wrote them, where that was a replay
    ]
)

RETRIEVAL_SCORES = pa.schema(
    [
        pa.field("id", pa.string(), nullable=False),
        pa.field("metric", pa.string(), nullable=False),  # "document_recall@5", "mrr", "evidence_recall@16000"
        pa.field("value", pa.float64(), nullable=False),
    ]
)

SCORES = pa.schema(
    [
        pa.field("member", pa.string(), nullable=False),  # "ensemble", or a run's label
        pa.field("metric", pa.string(), nullable=False),  # wattbot, kohaku, fork
        pa.field("id", pa.string(), nullable=False),
        pa.field("value", pa.float64(), nullable=False),
        pa.field("ref", pa.float64(), nullable=False),
        pa.field("na", pa.float64()),  # None where the metric leaves the row out of its NA mean
        pa.field("score", pa.float64(), nullable=False),
    ]
)

SWEEP_SCORES = pa.schema(
    [
        pa.field("line", pa.string(), nullable=False),
        pa.field("x", pa.string(), nullable=False),
        pa.field("run", pa.int32(), nullable=False),
        pa.field("metric", pa.string(), nullable=False),  # "wattbot", "wattbot/value", "wattbot/ref", "mrr"
        pa.field("id", pa.string(), nullable=False),
        pa.field("score", pa.float64(), nullable=False),
    ]
)

ERROR_REPORT = pa.schema(
    [
        pa.field("id", pa.string(), nullable=False),
        pa.field("question", pa.string(), nullable=False),
        pa.field("truth_value", pa.string(), nullable=False),
        pa.field("answer_value", pa.string(), nullable=False),
        pa.field("truth_refs", STRINGS, nullable=False),
        pa.field("ref_id", STRINGS, nullable=False),
        pa.field(
            "category", pa.string(), nullable=False
        ),  # "ok", "value", "unit_conversion", "reference", "false_positive", ...
        pa.field("lost_at", pa.string()),  # "retrieval", "context", "generation"; None where right
        pa.field("detail", pa.string(), nullable=False),
    ]
)

SUBMISSION = pa.schema(
    [
        pa.field(name, pa.string(), nullable=False)
        for name in (
            "id",
            "question",
            "answer",
            "answer_value",
            "answer_unit",
            "ref_id",
            "ref_url",
            "supporting_materials",
            "explanation",
        )
    ]
)

PUBLISHED_INDEX = pa.schema(
    [
        pa.field("index_version", pa.string(), nullable=False),
    ]
)


@dataclass(frozen=True, slots=True)
class SentencePayload:
    """A sentence of a paragraph; its metadata may hold `page` and `bbox`."""

    text: str
    metadata: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ParagraphPayload:
    """A paragraph, table or image; `sentences` is None where nobody has split it yet."""

    text: str
    sentences: tuple[SentencePayload, ...] | None = None
    metadata: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SectionPayload:
    """A titled run of paragraphs; its metadata may hold `level` and `page`."""

    title: str
    paragraphs: tuple[ParagraphPayload, ...]
    metadata: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class DocumentPayload:
    """A parsed document, in the shape of KohakuRAG's JSON."""

    document_id: str
    title: str
    text: str
    metadata: dict[str, Any] = field(default_factory=dict)
    sections: tuple[SectionPayload, ...] | None = None


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


@dataclass(frozen=True, slots=True)
class Question:
    """A question and the unit in which its answer is wanted (None where nobody said)."""

    id: str
    text: str
    unit: str | None = None


@dataclass(frozen=True, slots=True)
class StructuredAnswer:
    """What an answerer gives; blank where `answer_value` is "is_blank" or no document is cited."""

    answer: str
    answer_value: str
    ref_id: tuple[str, ...]
    explanation: str
    quote: str | None = None  # a verbatim piece of a snippet that supports the value
    confidence: float | None = None  # 0 to 1
    raw_response: str | None = None
    error: str | None = None
    replayed: bool = False  # found in the call ledger, not paid for again
    answered_by: str | None = None  # "provider:model" of a fallback; None where the model that was asked replied
    ref_cell: str | None = None  # the references as a recorded run wrote them: the metrics read each spelling otherwise


@dataclass(frozen=True, slots=True)
class StageReport:
    """What a stage did beside its table: rows that cost work, rows found again, and what went wrong on the way."""

    rows_computed: int
    rows_reused: int = 0
    problems: tuple[str, ...] = ()  # one sentence each
    metrics: dict[str, float] = field(default_factory=dict)
    incomplete: str | None = None  # why this output must not be taken as final, where a fault from outside left gaps


def empty_table(schema: pa.Schema) -> pa.Table:
    """Return a table of `schema` without rows.

    >>> empty_table(QUERY_PLANS).num_rows
    0
    """
    return schema.empty_table()
