"""Statistics of the recorded calls."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

import pyarrow as pa

from kohaku_lib.llm.ledger.lines import ERASED

LEDGER_SUMMARY = pa.schema(
    [
        pa.field("model", pa.string(), nullable=False),
        pa.field("run", pa.int32()),
        pa.field("stage", pa.string(), nullable=False),
        pa.field("day", pa.date32()),  # in UTC
        pa.field("calls", pa.int64(), nullable=False),
        pa.field("failed", pa.int64(), nullable=False),
        pa.field("attempts", pa.int64()),
        pa.field("input_tokens", pa.int64()),
        pa.field("cached_tokens", pa.int64()),
        pa.field("output_tokens", pa.int64()),
        pa.field("cost_usd", pa.float64()),  # over calls of known price; None if there are none
        pa.field("unpriced", pa.int64(), nullable=False),  # replies of unknown price
        pa.field("mean_latency_s", pa.float64()),
    ]
)

_COLUMNS = (
    "{'time': 'TIMESTAMP', 'model': 'VARCHAR', 'run': 'INTEGER', 'stage': 'VARCHAR', 'attempts': 'BIGINT', "
    "'input_tokens': 'BIGINT', 'cached_tokens': 'BIGINT', 'output_tokens': 'BIGINT', 'cost_usd': 'DOUBLE', "
    "'latency_s': 'DOUBLE', 'error': 'VARCHAR', 'org_id': 'VARCHAR'}"
)
_QUERY = f"""
    SELECT model, run, stage, "time"::DATE AS "day", count(*) AS calls, count(error) FILTER (error <> '{ERASED}') AS failed,
        sum(attempts) AS attempts, sum(input_tokens) AS input_tokens, sum(cached_tokens) AS cached_tokens,
        sum(output_tokens) AS output_tokens, sum(cost_usd) AS cost_usd,
        count(*) FILTER (error IS NULL AND cost_usd IS NULL) AS unpriced, avg(latency_s) AS mean_latency_s
    FROM read_json($files, format = 'newline_delimited', columns = {_COLUMNS}, ignore_errors = true)
    WHERE model IS NOT NULL AND stage IS NOT NULL AND ($org IS NULL OR coalesce(org_id, $org) = $org)
    GROUP BY ALL
    ORDER BY "day", model, run, stage
"""  # noqa: S608 - holds constants only; the file names are bound
_CALL_FIELDS = ("question_id", "stage", "input_tokens", "output_tokens", "cost_usd", "latency_s", "error")
_CALLS_QUERY = f"""
    SELECT {", ".join(_CALL_FIELDS)}
    FROM read_json($files, format = 'newline_delimited', ignore_errors = true,
        columns = {_COLUMNS[:-1]}, 'question_id': 'VARCHAR'}})
    WHERE "time" >= $since
    ORDER BY "time"
"""  # noqa: S608 - holds constants only; the values are bound


def summarise_ledger(folder: Path, org_id: str | None = None) -> pa.Table:
    """Return calls, tokens, cost and latency by model, run, stage and day (LEDGER_SUMMARY) of the ledger in `folder`.

    With `org_id` only the calls of that organisation count, and those that name none, as calls before organisations did.
    Torn lines are skipped; a missing or empty folder yields an empty table.

    >>> summarise_ledger(Path("no such folder")).num_rows
    0
    """
    rows = _rows(folder, _QUERY, org=org_id)
    return pa.Table.from_pylist([dict(zip(LEDGER_SUMMARY.names, row, strict=True)) for row in rows], LEDGER_SUMMARY)


def calls_since(folder: Path, since: datetime) -> list[dict[str, Any]]:
    """Return question, stage, tokens, cost and latency of every call recorded in `folder` at or after `since` (in UTC).

    >>> calls_since(Path("no such folder"), datetime(2026, 1, 1))
    []
    """
    return [dict(zip(_CALL_FIELDS, row, strict=True)) for row in _rows(folder, _CALLS_QUERY, since=since)]


def _rows(folder: Path, query: str, **values: object) -> list[tuple[Any, ...]]:
    import duckdb

    files = [str(path) for path in sorted(folder.glob("*.jsonl")) if path.stat().st_size]
    if not files:
        return []
    with duckdb.connect() as connection:
        return connection.execute(query, {"files": files, **values}).fetchall()
