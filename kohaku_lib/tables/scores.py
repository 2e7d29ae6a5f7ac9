"""Scores of contexts and answers."""

from __future__ import annotations

import pyarrow as pa

from kohaku_lib.tables.columns import STRINGS

RETRIEVAL_SCORES = pa.schema(
    [
        pa.field("id", pa.string(), nullable=False),
        pa.field("metric", pa.string(), nullable=False),  # "document_recall@5", "mrr", "evidence_recall@16000"
        pa.field("value", pa.float64(), nullable=False),
        pa.field("cluster", pa.string()),  # of questions that are not independent; None: of its own
    ]
)

SCORES = pa.schema(
    [
        pa.field("member", pa.string(), nullable=False),  # "ensemble", or a run's label
        pa.field("metric", pa.string(), nullable=False),  # wattbot, kohaku, fork
        pa.field("id", pa.string(), nullable=False),
        pa.field("value", pa.float64(), nullable=False),
        pa.field("ref", pa.float64(), nullable=False),
        pa.field("na", pa.float64()),  # None if the metric excludes the row from its NA mean
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
        pa.field("lost_at", pa.string()),  # "retrieval", "context", "generation"; None if right or unknown
        pa.field("error_class", pa.string(), nullable=False),  # summary of both: "right", "document not retrieved", …
        pa.field("detail", pa.string(), nullable=False),
    ]
)
