"""Predictions by OpenAI's Batch API: what is sent and taken in by a run, and how one waits for the rest."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import pyarrow as pa

from kohaku_assets.engines import answer_tools
from kohaku_assets.project import Project
from kohaku_lib.answering.answer_in_batches import answer_in_batches, describe_waiting
from kohaku_lib.index import Snapshot
from kohaku_lib.kinds import PROVIDERS
from kohaku_lib.llm import CallLedger
from kohaku_lib.llm.batches import BatchQueue, BatchRecord
from kohaku_lib.storage import store_lock
from kohaku_lib.tables import StageReport

if TYPE_CHECKING:
    from kohaku_assets.refresh import RefreshReport

STAGE = "predictions"


def make_queue(project: Project) -> BatchQueue:
    """Return the queue of the store's batches."""
    open_ledger = partial(CallLedger, project.store / "llm_calls")
    spent_usd = project.spending.paid_usd
    return BatchQueue(project.store / "llm_batches", open_ledger, project.settings.llm, spent_usd=spent_usd)


def predict_in_batches(
    project: Project, snapshot: Snapshot, questions: pa.Table, contexts: pa.Table
) -> tuple[pa.Table, StageReport]:
    """Return the predictions for `questions`; raises BatchWaitingError until batches have answered every call."""
    make_tools = partial(answer_tools, project, snapshot)
    queue = make_queue(project)
    return answer_in_batches(questions, contexts, project.settings, queue, make_tools, project.on_progress)


def take_in_ended(project: Project) -> None:
    """Take in the batches of the settings' server that have ended, so that single calls repeat none of theirs."""
    queue = make_queue(project)
    server = PROVIDERS.get(project.settings.llm.provider).server
    if server is not None and server.has_batches and queue.open:
        here = queue.server.where
        if all(record.server == here for record in queue.open):
            queue.update()


def waiting_sentence(project: Project) -> str | None:
    """Return what predictions wait for, None where no batch is open."""
    batches = make_queue(project).open
    return f"{STAGE}: {describe_waiting(batches)}" if batches else None


def look_at_batches(project: Project) -> list[BatchRecord]:
    """Return every batch, the open ones as the server tells of them now; raises ModelError where it does not."""
    queue = make_queue(project)
    looked = {record.name: record for record in queue.look()}
    return [looked.get(record.name, record) for record in queue.records.all()]


def cancel_batches(project: Project) -> list[BatchRecord]:
    """End the open batches, take in what they have answered, and return them."""
    with store_lock(project.store):
        return make_queue(project).cancel()


def refresh_until_answered(
    project: Project,
    poll_s: float,
    told: Callable[[list[BatchRecord]], object],
    sleep: Callable[[float], object] = time.sleep,
) -> RefreshReport | None:
    """Refresh `project` whenever a batch has ended, until none is open; None where none was to begin with.

    What has ended is taken in before each refresh, as that may fail before the predictions or not need them any more.
    `told` hears of the open batches at each look, `poll_s` apart. Raises ModelError where the server does not answer.
    """
    from kohaku_assets.refresh import refresh

    report = None
    while looked := make_queue(project).look():
        told(looked)
        if not any(record.batch_id is None or record.is_over for record in looked):
            sleep(poll_s)
            continue
        with store_lock(project.store):
            make_queue(project).update()
        report = refresh(project)
        if report.failure and waiting_sentence(project) is None:
            break
    return report
