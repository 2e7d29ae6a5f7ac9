"""Answers in the CSV format of the competition."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from kohaku_lib.errors import InputFileError
from kohaku_lib.evaluation.csv_escaping import escape_formula
from kohaku_lib.storage import write_atomically
from kohaku_lib.tables import SUBMISSION, StageReport
from kohaku_lib.values import BLANK, format_refs, is_blank


def build_submission(votes: pa.Table, questions: pa.Table) -> tuple[pa.Table, StageReport]:
    """Return SUBMISSION: one row per question, in the order of QUESTIONS; a question without a vote is blank.

    A blank row contains is_blank in every answer cell, and explanations are never empty; value and references of a
    single recorded run are preserved verbatim.
    """
    row_by_id = {row["id"]: row for row in votes.to_pylist()}
    rows = [_submission_row(question, row_by_id.get(question["id"])) for question in questions.to_pylist()]
    absent = [question for question in questions.column("id").to_pylist() if question not in row_by_id]
    problems = tuple(f"The question {name!r} has no vote and is left blank." for name in absent)
    return pa.Table.from_pylist(rows, schema=SUBMISSION), StageReport(len(rows), problems=problems)


def text_row(row: Mapping[str, Any]) -> dict[str, str]:
    """Return the submission cells of an answer whose references are lists; empty cells become is_blank.

    The reference cell of a recorded run (`ref_cell`) is preserved verbatim, even if empty.

    >>> row = text_row({"id": "q", "answer_value": "7", "ref_id": ["a", "b"], "explanation": ""})
    >>> row["ref_id"], row["explanation"]
    ("['a','b']", 'is_blank')
    """
    cells = {name: _cell_text(row.get(name)) or BLANK for name in SUBMISSION.names}
    ref_cell = row.get("ref_cell")
    return cells if ref_cell is None else cells | {"ref_id": ref_cell}


def submission_rows(votes: pa.Table) -> list[dict[str, str]]:
    """Return the rows of ENSEMBLE_VOTES as submission cells.

    >>> submission_rows(pa.table({"id": ["q"], "answer_value": ["7"], "ref_id": [["a"]]}))[0]["ref_id"]
    "['a']"
    """
    return [text_row(row) for row in votes.to_pylist()]


def write_csv(
    rows: pa.Table | Sequence[Mapping[str, Any]],
    path: Path,
    columns: Sequence[str] | None = None,
    *,
    escape_formulas: bool = True,
) -> None:
    """Write rows atomically as CSV: UTF-8, a header, line feeds. Columns: those of SUBMISSION by default.

    Lists of references become `['a','b']`, or is_blank if empty; missing columns are empty. With `escape_formulas`,
    cells that a spreadsheet would evaluate as a formula are prefixed with an apostrophe.

    Raises:
        InputFileError: The file cannot be written.
    """
    names = list(columns or SUBMISSION.names)
    records = rows if isinstance(rows, Sequence) else rows.to_pylist()

    def cell(name: str, value: object) -> str:
        text = (
            _cell_text(value).replace("\r\n", "\n").replace("\r", "\n")
        )  # csv does not quote a lone \r, which readers take for a new row
        return escape_formula(name, text) if escape_formulas else text

    def write(temporary: Path) -> None:
        with temporary.open("w", encoding="utf-8", newline="") as stream:
            writer = csv.writer(stream, lineterminator="\n")
            writer.writerow(names)
            writer.writerows([cell(name, record.get(name)) for name in names] for record in records)

    try:
        write_atomically(path, write)
    except OSError as error:
        msg = f"Answers must go to a writable file, but {str(path)!r} is not ({error.strerror}); choose another."
        raise InputFileError(msg) from error


def _submission_row(question: Mapping[str, Any], vote: Mapping[str, Any] | None) -> dict[str, str]:
    row = text_row(vote or {})
    if is_blank(row["answer_value"]) and (vote or {}).get("ref_cell") is None:
        row = dict.fromkeys(row, BLANK)
    identity = {"id": question["id"], "question": question["question"]}
    return row | identity | {"answer_unit": question["answer_unit"] or (vote or {}).get("answer_unit") or BLANK}


def _cell_text(value: object) -> str:
    if isinstance(value, list | tuple):
        return format_refs([str(item) for item in value])
    return "" if value is None else str(value)
