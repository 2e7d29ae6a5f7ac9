"""What users asked, as truth for the next index: the queue of questions to review, and what a person decides about them."""

from __future__ import annotations

import getpass
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from kohaku_assets.pipeline.project import Project
from kohaku_assets.records.usage_tables import assistant_database, usage_table
from kohaku_lib.errors import InputFileError
from kohaku_lib.storage.lock import awaited_lock


@dataclass(frozen=True, slots=True)
class Truth:
    """What is right in the eyes of a person; None leaves a part to the answer and what users said of it."""

    value: str | None = None
    unit: str | None = None
    sources: Sequence[str] = ()
    question: str | None = None


def accept(project: Project, answer_id: str, truth: Truth, by: str | None = None) -> dict[str, str]:
    """Accept the answer to a question of the queue as its truth, and return its row of accepted_questions.csv.

    `by` names who decides, by default the user of this process.

    Raises:
        InputFileError: The queue has no such answer, or a part of its truth is missing or no document of the corpus.
    """
    from kohaku_lib.conversation.usage.accepted_questions import accept as write_row
    from kohaku_lib.conversation.usage.accepted_questions import accepted_row
    from kohaku_lib.conversation.usage.review_queue import proposed_value

    row = _queued(project, answer_id)
    value, sources = truth.value or proposed_value(row), list(truth.sources) or row["sources"]
    if not row["correction"] and "unanswered" in row["reasons"] and not truth.value:
        msg = f"nobody answered {row['question']!r} yet; give --value and --source"
        raise InputFileError(msg)
    known = set(project.user_files.sources[0]["document_id"].to_pylist())
    unknown = [name for name in sources if name not in known]
    if not sources or unknown:
        said = f"there is no document {unknown[0]!r}" if unknown else "no document is named that says so"
        msg = f"{said}; name one with --source, as 'kohaku documents' lists them"
        raise InputFileError(msg)
    corpus, by = project.settings.corpus, by or getpass.getuser()
    question = truth.question or row["question"]
    made = accepted_row(row["answer_id"], question, value, truth.unit, sources, corpus.org_id, by)
    with awaited_lock(project.paths.accepted_questions_lock, "accepting a question"):
        write_row(corpus.accepted_questions, made)
    _decide(project, row["question"], is_accepted=True, by=by)
    return made


def dismiss(project: Project, answer_id: str, by: str | None = None) -> None:
    """Take a question off the queue, decided `by` as in `accept`; only new blame puts it there again.

    Raises:
        InputFileError: The queue has no such answer.
    """
    _decide(project, _queued(project, answer_id)["question"], is_accepted=False, by=by or getpass.getuser())


def _queued(project: Project, answer_id: str) -> dict[str, Any]:
    rows = usage_table(project, "review_queue").to_pylist()
    found = [row for row in rows if answer_id and row["answer_id"].startswith(answer_id)]
    if len(found) != 1:
        msg = f"{answer_id!r} is the begin of {len(found)} answers of the queue; 'kohaku review' lists them"
        raise InputFileError(msg)
    return found[0]


def _decide(project: Project, question: str, *, is_accepted: bool, by: str) -> None:
    from kohaku_lib.conversation.memory.reviews import Reviews

    with assistant_database(project) as engine:
        if engine is not None:
            Reviews(engine, project.settings.corpus.org_id).decide(question, is_accepted=is_accepted, by=by)
