"""Waits for batches of calls and refreshes whenever one has ended, or cancels them."""

from __future__ import annotations

import time
from collections.abc import Callable

from kohaku_assets.components.batching import describe_open_batches, make_queue
from kohaku_assets.operations.refresh import RefreshReport, refresh_run
from kohaku_assets.pipeline.run import Run
from kohaku_assets.records.project_lock import project_lock
from kohaku_lib.llm.batches import BatchRecord


def refresh_until_answered(
    run: Run,
    poll_s: float,
    on_poll: Callable[[list[BatchRecord]], object],
    sleep: Callable[[float], object] = time.sleep,
) -> RefreshReport | None:
    """Refresh the project of `run` whenever a batch has ended, until none is open; return None if none was open.

    Replies of ended batches are collected before each refresh, as the refresh may fail before the predictions or no
    longer need them. `on_poll` is called with the open batches at each poll, every `poll_s` seconds.

    Raises:
        ModelError: The server does not respond.
    """
    report = None
    while polled := make_queue(run).look():
        on_poll(polled)
        if not any(record.batch_id is None or record.is_over for record in polled):
            sleep(poll_s)
            continue
        with project_lock(run.project):
            make_queue(run).update()
        report = refresh_run(run)
        if report.failure and describe_open_batches(run) is None:
            break
    return report


def cancel_batches(run: Run) -> list[BatchRecord]:
    """Cancel the open batches, collect their replies so far, and return them."""
    with project_lock(run.project):
        return make_queue(run).cancel()
