"""The rows of PREDICTIONS as text, by run, as votes, scores and error reports read them."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from kohaku_lib.evaluation.submission import text_row


def rows_by_run(predictions: pa.Table) -> dict[str, list[dict[str, str]]]:
    """Return the rows of PREDICTIONS as text, with their `error`, by run label, in the order of the runs.

    If two runs have the same label, the run number is appended.

    >>> runs = {"run": [0, 1], "run_label": ["a", "a"], "id": ["q", "q"], "answer_value": ["7", "8"], "error": [None, None]}
    >>> {label: rows[0]["answer_value"] for label, rows in rows_by_run(pa.table(runs)).items()}
    {'a': '7', 'a#1': '8'}
    """
    rows_by_number: dict[int, list[dict[str, Any]]] = {}
    for row in predictions.to_pylist():
        rows_by_number.setdefault(row["run"], []).append(row)
    rows_by_label: dict[str, list[dict[str, str]]] = {}
    for run in sorted(rows_by_number):
        label = rows_by_number[run][0]["run_label"]
        name = f"{label}#{run}" if label in rows_by_label else label
        rows_by_label[name] = [text_row(row) | {"error": row["error"] or ""} for row in rows_by_number[run]]
    return rows_by_label
