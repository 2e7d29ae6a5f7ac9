"""Query plans from a file: the queries of each question, planned elsewhere."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa

from kohaku_lib.errors import InputFileError
from kohaku_lib.retrieval.planning.plan_rows import MOST_QUERIES, as_plan, plan_to_row
from kohaku_lib.tables import QUERY_PLANS
from kohaku_lib.text.untrusted_json import without_surrogates


def read_plans(path: Path) -> pa.Table:
    """Return the plans (QUERY_PLANS) in a file of JSON lines, {"id": …, "queries": [text, …]} each, in order.

    The first query is the question, the others are planned queries; nothing is added to them.

    Raises:
        InputFileError: The file cannot be read, a line is no such object, or an id is repeated.

    """
    rows: dict[str, dict[str, Any]] = {}
    for number, line in enumerate(_lines(path), start=1):
        if not line.strip():
            continue
        plan = _parse_line(line)
        if plan is None or plan[0] in rows:
            fault = "repeats an id" if plan else f"is {line.strip()[:60]!r}"
            msg = (
                f'line {number} of {str(path)!r} {fault}; write {{"id": "q1", "queries": ["question", "query"]}} with '
                f"1 to {MOST_QUERIES} queries, one line per id"
            )
            raise InputFileError(msg)
        rows[plan[0]] = {"id": plan[0], "plan": plan_to_row(as_plan(plan)), "planner": "file.v1", "error": None}
    return pa.Table.from_pylist(list(rows.values()), schema=QUERY_PLANS)


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8-sig").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        msg = f"{str(path)!r} cannot be read ({error}); give a file of JSON lines in UTF-8"
        raise InputFileError(msg) from error


def _parse_line(line: str) -> tuple[str, list[str]] | None:
    """Return the id and the queries of a line; None if it is not such an object."""
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(row, Mapping):
        return None
    name, queries = row.get("id"), row.get("queries")
    if not isinstance(name, str) or not name.strip() or not isinstance(queries, list):
        return None
    texts = [without_surrogates(text).strip() for text in queries if isinstance(text, str)]
    is_usable = 1 <= len(queries) <= MOST_QUERIES and len(texts) == len(queries) and all(texts)
    return (without_surrogates(name).strip(), texts) if is_usable else None
