"""Questions, answers and votes."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa

from kohaku_lib.tables.columns import STRINGS

QUESTIONS = pa.schema(
    [
        pa.field("id", pa.string(), nullable=False),
        pa.field("question", pa.string(), nullable=False),
        pa.field("answer_unit", pa.string()),
        pa.field("has_truth", pa.bool_(), nullable=False),
        pa.field("row_json", pa.string(), nullable=False),  # the whole input row, its columns in order
        pa.field("problem", pa.string()),  # why this row cannot be answered; None if it can
    ]
)

CITATION = pa.struct(
    [
        pa.field("document_id", pa.string()),
        pa.field("node_id", pa.string()),
        pa.field("page", pa.int32()),
        pa.field("quote", pa.string()),
        pa.field("quote_found", pa.bool_()),
        pa.field("char_start", pa.int32()),  # of the quote in the snippet's text; None unless it was found there
        pa.field("char_end", pa.int32()),
        pa.field("supports_value", pa.bool_()),  # the quote states the value; None if that cannot be told
        pa.field("converted_from", pa.string()),  # words of the quote, where the value is in another unit or scale
        pa.field("heading", pa.string()),  # those above the node, outermost first; empty if none but the title
    ]
)

SENTENCE = pa.struct([pa.field("text", pa.string()), pa.field("supported", pa.bool_())])  # by the cited passages

PREDICTIONS = pa.schema(
    [
        pa.field("run", pa.int32(), nullable=False),  # from 0
        pa.field("run_label", pa.string(), nullable=False),
        pa.field("id", pa.string(), nullable=False),
        pa.field("question", pa.string(), nullable=False),
        pa.field("answer", pa.string(), nullable=False),
        pa.field("answer_value", pa.string(), nullable=False),  # "is_blank" if there is none
        pa.field("answer_unit", pa.string(), nullable=False),
        pa.field("ref_id", STRINGS, nullable=False),  # document ids; empty if blank
        pa.field("ref_url", STRINGS, nullable=False),
        pa.field("supporting_materials", pa.string(), nullable=False),
        pa.field("explanation", pa.string(), nullable=False),
        pa.field("confidence", pa.float64()),
        pa.field("citations", pa.list_(CITATION), nullable=False),
        pa.field("attempts", pa.int32(), nullable=False),  # retrieval depths tried
        pa.field("dropped_refs", pa.int32(), nullable=False),  # cited documents that are not in the context
        pa.field("error", pa.string()),  # why the row is blank, if by a fault
        pa.field("raw_response", pa.string()),
        pa.field("trace_json", pa.string(), nullable=False),  # every attempt
        pa.field("ref_cell", pa.string()),  # verbatim references of a replayed run
        pa.field("sentences", pa.list_(SENTENCE), nullable=False),  # empty if blank, or no cited passage is at hand
        pa.field("passages_cited", pa.int32(), nullable=False),
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
        pa.field("probability", pa.float64()),  # that the winner is right, if the mode estimates it
        pa.field("votes_json", pa.string(), nullable=False),  # votes by member: [{"member", "answer_value", "ref_id"}]
        pa.field("ref_cell", pa.string()),  # verbatim references of a single replayed run
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


@dataclass(frozen=True, slots=True)
class Question:
    """A question, the unit of its answer (None if unspecified), and why it cannot be answered (None if it can)."""

    id: str
    text: str
    unit: str | None = None
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class StructuredAnswer:
    """An answer; blank if `answer_value` is "is_blank" or no document is cited."""

    answer: str
    answer_value: str
    ref_id: tuple[str, ...]
    explanation: str
    quote: str | None = None  # a verbatim excerpt of a snippet that supports the value
    confidence: float | None = None  # 0 to 1
    raw_response: str | None = None
    error: str | None = None
    warning: str | None = None  # why the answer is doubtful
    replayed: bool = False  # from the call ledger, without a new call
    written_by: str | None = None  # the reader, or "provider:model" of a fallback; None if the primary model replied
    ref_cell: str | None = None  # verbatim references of a recorded run, as metrics depend on the spelling
    cited_nodes: tuple[str, ...] = ()  # snippets that the references name, for answer.cite = "node"
