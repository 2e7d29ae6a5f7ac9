"""Refreshes whenever a batch of calls has ended, until none is open."""

from __future__ import annotations

import time
from collections.abc import Callable

from kohaku_assets.components.batching import make_queue, waiting_sentence
from kohaku_assets.operations.refresh import RefreshReport, refresh_run
from kohaku_assets.pipeline.run import Run
from kohaku_lib.llm.batches import BatchRecord
from kohaku_lib.storage import store_lock


def refresh_until_answered(
    run: Run,
    poll_s: float,
    on_look: Callable[[list[BatchRecord]], object],
    sleep: Callable[[float], object] = time.sleep,
) -> RefreshReport | None:
    """Refresh the project of `run` whenever a batch has ended, until none is open; None where none was to begin with.

    Replies of ended batches are taken in before each refresh, as that may fail before the predictions or not need them
    any more. `on_look` gets the open batches at each look, `poll_s` apart. Raises ModelError where the server does not
    answer.
    """
    report = None
    while looked := make_queue(run).look():
        on_look(looked)
        if not any(record.batch_id is None or record.is_over for record in looked):
            sleep(poll_s)
            continue
        with store_lock(run.project.store):
            make_queue(run).update()
        report = refresh_run(run)
        if report.failure and waiting_sentence(run) is None:
            break
    return report
