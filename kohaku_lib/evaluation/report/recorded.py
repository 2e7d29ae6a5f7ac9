"""Recorded runs as the answers of a report."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from kohaku_lib.answering import read_questions
from kohaku_lib.answering.labels import label_paths
from kohaku_lib.documents import read_rows
from kohaku_lib.errors import InputFileError
from kohaku_lib.evaluation.report.facts import Answers
from kohaku_lib.evaluation.voting.members import Rows, find_broken
from kohaku_lib.evaluation.voting.vote import vote_rows
from kohaku_lib.settings import EnsembleSettings
from kohaku_lib.tables import RETRIEVED_CONTEXT


def recorded_answers(
    runs: Sequence[Path], truth: Path, contexts: Path | None, ensemble: EnsembleSettings
) -> tuple[Answers, tuple[str, ...]]:
    """Return the answers of CSV files with the WattBot columns and of their vote, and the problems.

    Runs are labelled by the distinct parts of their paths; broken runs are skipped and reported. `contexts` are the
    JSON lines of `kohaku retrieve`. The optional column `cost_usd` is the cost of an answer; without it in every row
    the cost of a run is unknown.

    Raises:
        InputFileError: A file cannot be read, or no run is left.
    """
    rows_by_member = {label: read_rows(path) for label, path in zip(label_paths(runs), runs, strict=True)}
    broken = find_broken(rows_by_member)
    votes, vote_report = vote_rows(rows_by_member, ensemble)
    members = {label: rows for label, rows in rows_by_member.items() if label not in broken}
    costs = {label: cost for label, rows in members.items() if (cost := _total_cost_usd(rows)) is not None}
    questions, question_report = read_questions(truth)
    context_table = None if contexts is None else _read_contexts(contexts)
    return Answers(questions, votes, members, None, context_table, costs), (
        *question_report.problems,
        *vote_report.problems,
    )


def _total_cost_usd(rows: Rows) -> float | None:
    try:
        return sum(float(row["cost_usd"]) for row in rows)
    except (KeyError, ValueError):
        return None


def _read_contexts(path: Path) -> pa.Table:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
        rows = [_context_row(json.loads(line)) for line in lines if line.strip()]
        return pa.Table.from_pylist(rows, schema=RETRIEVED_CONTEXT)
    except (OSError, ValueError, KeyError, TypeError, pa.ArrowException) as error:
        msg = f"{str(path)!r} is not output of 'kohaku retrieve' ({error}); give such a file with --contexts"
        raise InputFileError(msg) from error


def _context_row(line: Mapping[str, Any]) -> dict[str, Any]:
    columns = {name: line[name] for name in ("id", "queries", "matches", "snippets")}
    return {**columns, "plan": {}, "images": [], "trace_json": "{}"}
