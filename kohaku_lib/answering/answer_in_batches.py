"""Answer all questions through a provider's batch API, resuming on each run."""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa

from kohaku_lib.answering.engine import Engine, EngineParts
from kohaku_lib.answering.many import Progress, answer_questions
from kohaku_lib.errors import ModelError
from kohaku_lib.llm import ChatModel
from kohaku_lib.llm.batches import BatchQueue, BatchRecord
from kohaku_lib.settings import Settings
from kohaku_lib.tables import StageReport


class BatchWaitingError(ModelError):
    """Calls are pending in submitted batches; not a failure."""


def answer_in_batches(
    questions: pa.Table,
    contexts: pa.Table,
    settings: Settings,
    queue: BatchQueue,
    make_parts: Callable[[ChatModel], EngineParts],
    progress: Progress | None = None,
) -> tuple[pa.Table, StageReport]:
    """Return the result of `answer_questions` once every call has been answered by some batch.

    Each run stores the finished calls in the ledger and submits the calls that are needed next (unanswered questions,
    blank answers at the next depth, shorter contexts after overflows, failed calls) as one batch. Errors of
    `answer_questions` and of the queue propagate.

    Args:
        questions: Rows of QUESTIONS.
        contexts: Rows of RETRIEVED_CONTEXT.
        settings: All settings.
        queue: The queue of submitted batches.
        make_parts: Builds the parts of the engine around a chat model.
        progress: Called with the number of finished rows and of all rows.

    Raises:
        BatchWaitingError: Calls are pending.

    """
    queue.update()
    chat = queue.chat()
    engine = Engine(settings, make_parts(chat))
    table, report = answer_questions(questions, contexts, engine, progress)
    queue.submit(chat.noted, chat.left_out)
    if chat.noted or chat.waiting:
        raise BatchWaitingError(describe_waiting(queue.open))
    queue.close()
    return table, report


def describe_waiting(batches: list[BatchRecord]) -> str:
    """Return a sentence that describes the pending calls.

    >>> describe_waiting([])
    '0 calls wait in 0 batches (); Dagster continues automatically, or run: kohaku batches --wait'
    """
    calls = sum(record.requests for record in batches)
    statuses = ", ".join(f"{record.batch_id}: {record.status}" for record in batches)
    noun = "batch" if len(batches) == 1 else "batches"
    return (
        f"{calls} calls wait in {len(batches)} {noun} ({statuses}); Dagster continues automatically, or run: "
        "kohaku batches --wait"
    )
