"""Predictions by OpenAI's Batch API: submits batches and collects their replies."""

from __future__ import annotations

from functools import partial

import pyarrow as pa

from kohaku_assets.pipeline.run import Run
from kohaku_lib.answering.answer_in_batches import answer_in_batches, describe_waiting
from kohaku_lib.index import Snapshot
from kohaku_lib.llm import CallLedger
from kohaku_lib.llm.batches import BatchQueue, BatchRecord
from kohaku_lib.llm.providers.interface import PROVIDERS
from kohaku_lib.project.index_parts import IndexParts
from kohaku_lib.tables import StageReport

STAGE = "predictions"


def make_queue(run: Run) -> BatchQueue:
    """Return the batch queue of the store."""
    open_ledger = partial(CallLedger, run.project.paths.llm_calls)
    spent_usd = run.session.spending.paid_usd
    return BatchQueue(run.project.paths.llm_batches, open_ledger, run.settings.llm, spent_usd=spent_usd)


def predict_in_batches(
    run: Run, snapshot: Snapshot, questions: pa.Table, contexts: pa.Table
) -> tuple[pa.Table, StageReport]:
    """Return the predictions for `questions`.

    Raises:
        BatchWaitingError: Some calls have not been answered by a batch yet.
    """
    queue = make_queue(run)
    return answer_in_batches(
        questions,
        contexts,
        run.settings,
        queue,
        lambda chat: IndexParts(run.session, snapshot, chat=chat),
        run.on_progress,
    )


def collect_ended(run: Run) -> None:
    """Collect the ended batches of the configured server, so that single calls do not repeat theirs."""
    queue = make_queue(run)
    provider = run.settings.llm.provider
    server = None if provider is None else PROVIDERS.get(provider).server
    if server is not None and server.has_batches and queue.open:
        here = queue.server.where
        if all(record.server == here for record in queue.open):
            queue.update()


def describe_open_batches(run: Run) -> str | None:
    """Return which batches the predictions wait for; None if no batch is open."""
    batches = make_queue(run).open
    return f"{STAGE}: {describe_waiting(batches)}" if batches else None


def poll_batches(run: Run) -> list[BatchRecord]:
    """Return every batch, the open ones with their current state on the server.

    Raises:
        ModelError: The server does not respond.
    """
    queue = make_queue(run)
    polled = {record.name: record for record in queue.look()}
    return [polled.get(record.name, record) for record in queue.records.all()]
