"""All questions to predictions by the actors of a Ray cluster."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pyarrow as pa

from kohaku_lib.answering.answer_questions import Progress
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
from kohaku_lib.storage import actor_count, map_on_actors
from kohaku_lib.tables import PREDICTIONS, StageReport

MakeTools = Callable[[Settings], AnswerTools]


def answer_on_actors(
    questions: pa.Table,
    contexts: pa.Table,
    settings: Settings,
    make_tools: MakeTools,
    progress: Progress | None = None,
) -> tuple[pa.Table, StageReport]:
    """Return what `answer_questions` returns, answered by up to `settings.engine.workers` Ray actors.

    Each actor calls `make_tools` once, with settings whose limits (calls in flight, per minute, cost) are its share:
    what that opens, the index and the folder of the call ledger, must lie where every actor can read and write it.
    Each actor appends to a ledger file of its own, so that a question whose actor died is answered again without
    paying for a finished call. Raises what `answer_questions` raises.
    """
    askings = list_askings(questions, contexts, settings)
    askable = sum(asking.row["problem"] is None for asking in askings)
    if not askings:
        return PREDICTIONS.empty_table(), report_of([])
    workers = actor_count(settings.engine.workers, len(askings))
    share = share_of(settings, workers)
    make = partial(_worker, share, make_tools, askable)
    done: dict[int, Done] = {}
    for number, result in map_on_actors(make, askings, workers, threads_of(share)):
        done[number] = result
        if progress:
            progress(len(done), len(askings))
    ordered = [done[number] for number in range(len(askings))]
    rows = [result.row for result in ordered if result.row]
    return pa.Table.from_pylist(rows, schema=PREDICTIONS), report_of(ordered)


def share_of(settings: Settings, workers: int) -> Settings:
    """Return `settings` with the limits on calls divided among `workers`; at least one call in flight each.

    >>> share_of(Settings(), 4).llm.max_concurrent
    2
    """
    llm = settings.llm
    whole = {name: getattr(llm, name) for name in ("max_concurrent", "requests_per_minute", "tokens_per_minute")}
    shares: dict[str, float] = {name: max(1, limit // workers) for name, limit in whole.items() if limit is not None}
    if llm.max_cost_usd is not None:
        shares["max_cost_usd"] = llm.max_cost_usd / workers
    return settings.model_copy(update={"llm": llm.model_copy(update=shares)})


def _worker(settings: Settings, make_tools: MakeTools, askable: int) -> Callable[[Asking], Done]:
    return QuestionWork(settings, make_tools(settings), askable).answer
