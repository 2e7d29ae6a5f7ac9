"""Answer all questions: one prediction row per question and ensemble run."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pyarrow as pa

from kohaku_lib.answering.answer_one_question import (
    AnswerTools,
    QuestionAnswerer,
    QuestionOutcome,
    QuestionRun,
    build_report,
    count_threads,
    list_question_runs,
)
from kohaku_lib.answering.answerer import Answerer
from kohaku_lib.parallel import map_items
from kohaku_lib.settings import Settings
from kohaku_lib.tables import PREDICTIONS, StageReport

Progress = Callable[[int, int], None]


def answer_questions(
    questions: pa.Table,
    contexts: pa.Table,
    settings: Settings,
    tools: AnswerTools,
    progress: Progress | None = None,
) -> tuple[pa.Table, StageReport]:
    """Return the predictions (PREDICTIONS) of all ensemble runs over `questions`, by run and then input order.

    A row counts as reused if all its calls came from the ledger. An error in one question, including a search channel
    lost during its retrieval, is stored in its row; a question that a recorded run lacks has no row there. On
    interruption, calls in flight finish and are stored, and no new ones start.

    Args:
        questions: Rows of QUESTIONS.
        contexts: Rows of RETRIEVED_CONTEXT, the first context of each question.
        settings: All settings.
        tools: The answerer, the retriever of deeper contexts (unused by a replay) and the documents that may be cited.
        progress: Called with the number of finished rows and of all rows.

    Raises:
        ModelError: The server answers none of the questions.
        StoreError: The ledger fails.

    """
    question_runs = list_question_runs(questions, contexts, settings)
    question_answerer = QuestionAnswerer(settings, tools, _count_answerable(question_runs))
    return _answer_all(question_answerer, question_runs, settings, tools.answerer, progress)


def answer_despite_lost_channels(
    questions: pa.Table, contexts: pa.Table, settings: Settings, tools: AnswerTools
) -> tuple[pa.Table, StageReport]:
    """Return the result of `answer_questions`, but answer from partial contexts and list the lost channels in the row."""
    question_runs = list_question_runs(questions, contexts, settings)
    question_answerer = QuestionAnswerer(settings, tools, _count_answerable(question_runs), tolerant=True)
    return _answer_all(question_answerer, question_runs, settings, tools.answerer)


def _count_answerable(question_runs: Sequence[QuestionRun]) -> int:
    return sum(question_run.row["problem"] is None for question_run in question_runs)


def _answer_all(
    question_answerer: QuestionAnswerer,
    question_runs: Sequence[QuestionRun],
    settings: Settings,
    answerer: Answerer,
    progress: Progress | None = None,
) -> tuple[pa.Table, StageReport]:
    outcomes: list[QuestionOutcome] = []
    for outcome in map_items(question_answerer.answer, question_runs, count_threads(settings), answerer.stop):
        outcomes.append(outcome)
        if progress:
            progress(len(outcomes), len(question_runs))
    rows = [outcome.row for outcome in outcomes if outcome.row]
    return pa.Table.from_pylist(rows, schema=PREDICTIONS), build_report(outcomes)
