"""All questions to predictions, a batch of calls at a time: each run takes in what came and sends what is left."""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa

from kohaku_lib.answering.answer_questions import Progress, answer_questions
from kohaku_lib.answering.question_work import AnswerTools
from kohaku_lib.errors import ModelError
from kohaku_lib.llm import ChatModel
from kohaku_lib.llm.batches import BatchQueue, BatchRecord
from kohaku_lib.settings import Settings
from kohaku_lib.tables import StageReport


class BatchWaitingError(ModelError):
    """Calls wait in batches; there is nothing to mend."""


def answer_in_batches(
    questions: pa.Table,
    contexts: pa.Table,
    settings: Settings,
    queue: BatchQueue,
    make_tools: Callable[[ChatModel], AnswerTools],
    progress: Progress | None = None,
) -> tuple[pa.Table, StageReport]:
    """Return what `answer_questions` returns, once every call has been answered in some batch.

    `make_tools` makes what answers by a chat model. Until then what came is taken into the ledger, the calls that are
    now needed (of questions still unasked, of blank answers at the next depth, of overflows with a shorter context, of
    calls that failed) go out together, and BatchWaitingError says what is waited for. Raises what `answer_questions`
    and the queue raise.
    """
    queue.update()
    chat = queue.chat()
    tools = make_tools(chat)
    table, report = answer_questions(
        questions, contexts, tools.retriever, settings, tools.answerer, tools.documents, progress
    )
    queue.submit(chat.noted, chat.left_out)
    if chat.noted or chat.waiting:
        raise BatchWaitingError(describe_waiting(queue.open))
    queue.close()
    return table, report


def describe_waiting(batches: list[BatchRecord]) -> str:
    """Return what is waited for, in one sentence.

    >>> describe_waiting([])
    '0 calls wait in 0 batches (); it goes on by itself in Dagster, or with: kohaku batches --wait'
    """
    calls = sum(record.requests for record in batches)
    told = ", ".join(f"{record.batch_id}: {record.status}" for record in batches)
    noun = "batch" if len(batches) == 1 else "batches"
    return (
        f"{calls} calls wait in {len(batches)} {noun} ({told}); it goes on by itself in Dagster, or with: "
        "kohaku batches --wait"
    )
