"""How an assistant was used, month by month: volume, unanswered share, latency, cost, cache and drift of topics."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from kohaku_lib.conversation.usage.review_queue import topic_of

USAGE_REPORT = pa.schema(
    [
        pa.field("month", pa.string(), nullable=False),  # as 2026-11, in UTC
        pa.field("questions", pa.int64(), nullable=False),
        pa.field("sessions", pa.int64(), nullable=False),
        pa.field("unanswered_share", pa.float64(), nullable=False),
        pa.field("cache_share", pa.float64(), nullable=False),
        pa.field("latency_p50_ms", pa.float64(), nullable=False),
        pa.field("latency_p95_ms", pa.float64(), nullable=False),
        pa.field("cost_usd", pa.float64()),  # of the questions of known cost; None if there are none
        pa.field("thumbs_up", pa.int64(), nullable=False),
        pa.field("thumbs_down", pa.int64(), nullable=False),
        pa.field(
            "topic_drift", pa.float64()
        ),  # against the month before: 0 the same topics, 1 others; None for the first
        pa.field("new_topics", pa.list_(pa.string()), nullable=False),  # the most frequent ones first
    ]
)
MOST_TOPICS = 5


def usage_report(served: pa.Table) -> pa.Table:
    """Return the figures (USAGE_REPORT) of each month in which questions were served (SERVED_QUESTIONS), oldest first."""
    months: dict[str, list[dict[str, Any]]] = {}
    for row in served.sort_by("served_at").to_pylist():
        months.setdefault(f"{row['served_at']:%Y-%m}", []).append(row)
    rows, before = [], None
    for month, own in months.items():
        topics = Counter(topic for row in own if (topic := topic_of(row["question"])))
        rows.append(_month_row(month, own, topics, before))
        before = topics
    return pa.Table.from_pylist(rows, schema=USAGE_REPORT)


def topic_drift(before: Mapping[str, int], now: Mapping[str, int]) -> float | None:
    """Return the Jensen-Shannon divergence (base 2, 0 to 1) of two counts of topics; None if one is empty.

    Source: J. Lin, "Divergence measures based on the Shannon entropy", 1991.

    >>> topic_drift({"a": 1}, {"b": 3}), topic_drift({"a": 1, "b": 1}, {"a": 2, "b": 2}), topic_drift({}, {"a": 1})
    (1.0, 0.0, None)
    """
    if not before or not now:
        return None
    shares = [{name: number / sum(counts.values()) for name, number in counts.items()} for counts in (before, now)]
    middle = {name: sum(one.get(name, 0.0) for one in shares) / 2 for name in {**before, **now}}
    return sum(share * math.log2(share / middle[name]) for one in shares for name, share in one.items()) / 2


def _month_row(
    month: str, rows: Sequence[Mapping[str, Any]], topics: Counter[str], before: Counter[str] | None
) -> dict[str, Any]:
    latencies = [sum(json.loads(row["timings_json"]).values()) for row in rows]
    costs = [row["cost_usd"] for row in rows if row["cost_usd"] is not None]
    ratings = Counter(row["rating"] for row in rows)
    new = [topic for topic, _ in topics.most_common() if before is not None and topic not in before]
    return {
        "month": month,
        "questions": len(rows),
        "sessions": len({row["session_id"] for row in rows}),
        "unanswered_share": sum(not row["is_answer"] for row in rows) / len(rows),
        "cache_share": sum(row["cached"] for row in rows) / len(rows),
        "latency_p50_ms": float(np.percentile(latencies, 50)),
        "latency_p95_ms": float(np.percentile(latencies, 95)),
        "cost_usd": sum(costs) if costs else None,
        "thumbs_up": ratings[1],
        "thumbs_down": ratings[-1],
        "topic_drift": None if before is None else topic_drift(before, topics),
        "new_topics": new[:MOST_TOPICS],
    }
