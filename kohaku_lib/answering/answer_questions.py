"""All questions to predictions: a row per question and ensemble run."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pyarrow as pa

from kohaku_lib.answering.answerer import Answerer
from kohaku_lib.answering.chat.deep_contexts import DeepRetriever
from kohaku_lib.answering.prediction_rows import DocumentMetadata
from kohaku_lib.answering.question_work import (
    AnswerTools,
    Asking,
    Done,
    QuestionWork,
    list_askings,
    report_of,
    threads_of,
)
from kohaku_lib.settings import Settings
from kohaku_lib.storage import map_items
from kohaku_lib.tables import PREDICTIONS, StageReport

Progress = Callable[[int, int], None]


def answer_questions(
    questions: pa.Table,
    contexts: pa.Table,
    retriever: DeepRetriever | None,
    settings: Settings,
    answerer: Answerer,
    documents: DocumentMetadata,
    progress: Progress | None = None,
) -> tuple[pa.Table, StageReport]:
    """Return the predictions (PREDICTIONS) of all ensemble runs over `questions`, by run and then input order.

    `contexts` (RETRIEVED_CONTEXT) holds the first context of each question; `retriever` gives the deeper ones, None
    never deepens, nor does a replay. `documents` maps each id to its url, title and citation. `progress` is told
    how many rows are done, of how many. A row is reused where all its calls came from the ledger. What goes wrong
    with one question is its row's error, and so is a channel that its search lost; a question that a
    recorded run lacks has no row there. Where the caller is interrupted, calls in flight end and are kept, and no other
    begins. Raises ModelError where the model's server answers to none of the questions, StoreError where the ledger fails.
    """
    askings = list_askings(questions, contexts, settings)
    work = QuestionWork(settings, AnswerTools(answerer, retriever, documents), _askable(askings))
    return _answered(work, askings, settings, answerer, progress)


def answer_in_spite(
    questions: pa.Table, contexts: pa.Table, settings: Settings, tools: AnswerTools
) -> tuple[pa.Table, StageReport]:
    """Return what `answer_questions` returns, also for a question whose search lost channels: its row says which."""
    askings = list_askings(questions, contexts, settings)
    work = QuestionWork(settings, tools, _askable(askings), tolerant=True)
    return _answered(work, askings, settings, tools.answerer)


def _askable(askings: Sequence[Asking]) -> int:
    return sum(asking.row["problem"] is None for asking in askings)


def _answered(
    work: QuestionWork,
    askings: Sequence[Asking],
    settings: Settings,
    answerer: Answerer,
    progress: Progress | None = None,
) -> tuple[pa.Table, StageReport]:
    done: list[Done] = []
    for result in map_items(work.answer, askings, threads_of(settings), answerer.stop):
        done.append(result)
        if progress:
            progress(len(done), len(askings))
    rows = [result.row for result in done if result.row]
    return pa.Table.from_pylist(rows, schema=PREDICTIONS), report_of(done)
