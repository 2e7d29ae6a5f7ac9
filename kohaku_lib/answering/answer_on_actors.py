"""Answer all questions on the actors of a Ray cluster."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pyarrow as pa

from kohaku_lib.answering.engine import Engine, EngineParts
from kohaku_lib.answering.many import (
    Progress,
    QuestionAnswerer,
    QuestionOutcome,
    QuestionRun,
    count_answerable,
    count_threads,
    list_question_runs,
    outcomes_to_table,
)
from kohaku_lib.parallel import actor_count, map_on_actors
from kohaku_lib.settings import Settings
from kohaku_lib.tables import StageReport

MakeParts = Callable[[Settings], EngineParts]


def answer_on_actors(
    questions: pa.Table,
    contexts: pa.Table,
    settings: Settings,
    make_parts: MakeParts,
    progress: Progress | None = None,
) -> tuple[pa.Table, StageReport]:
    """Return the result of `answer_questions`, computed by up to `settings.parallel.workers` Ray actors.

    Each actor calls `make_parts` once, with settings that contain its share of the limits (calls in flight, calls per
    minute, cost). The files that this opens (the index, the call ledger) must be accessible from every actor. Each
    actor appends to a separate ledger file, so a question whose actor died is answered again without paying for
    finished calls. Errors of `answer_questions` propagate.
    """
    question_runs = list_question_runs(questions, contexts, settings)
    if not question_runs:
        return outcomes_to_table([])
    workers = actor_count(settings.parallel.workers, len(question_runs))
    share = divide_limits(settings, workers)
    make = partial(_build_worker, share, make_parts, count_answerable(question_runs))
    outcomes: dict[int, QuestionOutcome] = {}
    for number, outcome in map_on_actors(make, question_runs, workers, count_threads(share)):
        outcomes[number] = outcome
        if progress:
            progress(len(outcomes), len(question_runs))
    return outcomes_to_table([outcomes[number] for number in range(len(question_runs))])


def divide_limits(settings: Settings, workers: int) -> Settings:
    """Return `settings` with the call limits divided among `workers`, at least one call in flight each.

    >>> divide_limits(Settings(), 4).llm.max_concurrent
    2
    """
    llm = settings.llm
    whole = {name: getattr(llm, name) for name in ("max_concurrent", "requests_per_minute", "tokens_per_minute")}
    shares: dict[str, float] = {name: max(1, limit // workers) for name, limit in whole.items() if limit is not None}
    if llm.max_cost_usd is not None:
        shares["max_cost_usd"] = llm.max_cost_usd / workers
    return settings.model_copy(update={"llm": llm.model_copy(update=shares)})


def _build_worker(
    settings: Settings, make_parts: MakeParts, expected_calls: int
) -> Callable[[QuestionRun], QuestionOutcome]:
    return QuestionAnswerer(Engine(settings, make_parts(settings)), expected_calls).answer
