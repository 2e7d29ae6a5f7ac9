"""Read the questions file."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa

from kohaku_lib.answering.rows import questions_to_table
from kohaku_lib.documents import read_rows
from kohaku_lib.documents.corpus.csv_rows import limit_messages
from kohaku_lib.tables import Question, StageReport
from kohaku_lib.values import is_blank

ACCEPTED = "served:"  # the begin of the ids of accepted questions
_NO_TEXT = "the question is empty"


def read_questions(path: Path) -> tuple[pa.Table, StageReport]:
    """Return the questions (QUESTIONS) of the CSV file at `path`, in order.

    Rows without an id, with an unclosed quote or with a duplicate id are skipped and reported as problems, ten of each
    kind at most; so are rows with more or fewer cells than the header, of which nothing else is lost. An empty question
    is retained with its `problem`. A question has truth if its `answer_value` cell is not empty.

    Raises:
        InputFileError: The file cannot be read or lacks `id` or `question`.

    """
    malformed_rows: list[str] = []
    rows = read_rows(path, ("id", "question"), malformed_rows.append)
    questions: dict[str, tuple[Question, dict[str, str]]] = {}
    rows_without_id, repeated_ids, empty_questions = [], [], []
    for number, row in enumerate(rows, start=1):
        question_id = row["id"].strip()
        if not question_id:
            rows_without_id.append(f"row {number} of {path.name} has no id and is skipped; add one")
        elif question_id in questions:
            repeated_ids.append(f"row {number} of {path.name} repeats the id {question_id!r} and is skipped; rename it")
        else:
            questions[question_id] = (question := _as_question(question_id, row)), row
            if question.problem:
                empty_questions.append(
                    f"the question {question_id!r} of {path.name} is empty and stays blank; add its text"
                )
                # reported as empty already
                malformed_rows = [message for message in malformed_rows if not message.startswith(f"row {number} of ")]
    problems = (
        *malformed_rows,
        *limit_messages(repeated_ids, f"rows of {path.name} repeat an id"),
        *limit_messages(rows_without_id, f"rows of {path.name} have no id"),
        *limit_messages(empty_questions, f"questions of {path.name} are empty"),
    )
    asked = list(questions.values())
    table = questions_to_table([question for question, _ in asked], [row for _, row in asked])
    return table, StageReport(rows_computed=len(questions), problems=problems)


def with_accepted(table: pa.Table, report: StageReport, path: Path, org_id: str) -> tuple[pa.Table, StageReport]:
    """Return `table` (QUESTIONS) followed by the questions of an organisation that were accepted in the CSV file at `path`.

    An accepted question that `table` has in the same words is left out.

    Raises:
        InputFileError: The file cannot be read or lacks a column.
    """
    accepted, about = read_questions(path)
    known = {text.casefold() for text in table.column("question").to_pylist()}
    is_chosen = [
        json.loads(row["row_json"]).get("org_id") == org_id and row["question"].casefold() not in known
        for row in accepted.select(["row_json", "question"]).to_pylist()
    ]
    both = pa.concat_tables([table, accepted.filter(pa.array(is_chosen, pa.bool_()))])
    return both, StageReport(both.num_rows, problems=(*report.problems, *about.problems))


def is_accepted(question_id: str) -> bool:
    """Return whether a question is one that was accepted from users: it is in no file of questions to be submitted.

    >>> is_accepted("served:0f3"), is_accepted("q12")
    (True, False)
    """
    return question_id.startswith(ACCEPTED)


def _as_question(question_id: str, row: dict[str, str]) -> Question:
    text, unit = row["question"].strip(), row.get("answer_unit", "").strip()
    return Question(question_id, text, None if is_blank(unit) else unit, None if text else _NO_TEXT)
