"""Estimates the chat model calls of a refresh before any money is spent."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any, Literal

import pyarrow as pa

from kohaku_assets.components.preflight import check_inputs
from kohaku_assets.pipeline.effective_values import graph_extractor
from kohaku_assets.pipeline.project import Project
from kohaku_assets.pipeline.run import Run
from kohaku_assets.pipeline.stage_inputs import index_version
from kohaku_assets.pipeline.stages import STAGES
from kohaku_lib.answering import answer_questions, read_questions
from kohaku_lib.index import open_snapshot
from kohaku_lib.llm import estimate_calls
from kohaku_lib.llm.estimates import CallEstimate
from kohaku_lib.llm.prices import call_cost_usd
from kohaku_lib.project import open_engine
from kohaku_lib.project.question_tables import plan_table
from kohaku_lib.retrieval.rerank import asks_chat
from kohaku_lib.tables import QUESTIONS, empty_table

PROMPT_TOKENS = 800  # of the instructions and the question, without the context
IMAGE_PROMPT_TOKENS = 1200


@dataclass(frozen=True, slots=True)
class StageEstimate:
    """The paid calls that a stage would make, and the calls that would be replayed from the ledger.

    `most_calls` is the upper bound with the deeper attempts after blank answers. `basis` is the source of the figures:
    "prompts" as they would be sent, or "settings" if an earlier stage must be built first. Unknown figures are None.
    """

    stage: str
    model: str | None
    basis: str
    calls: int | None
    most_calls: int | None
    known_calls: int | None
    input_tokens: int | None
    output_tokens: int | None
    cost_usd: float | None


def estimate_refresh(
    project: Project, names: Sequence[str] = (), *, force: Collection[str] = ()
) -> list[StageEstimate]:
    """Return the estimated chat model calls of the outdated stages among `names` (all by default).

    Stages in `force` count as outdated. No call is made, and nothing is written except the cache of file hashes.
    """
    outdated = {status.asset for status in project.statuses(names or None) if status.status != "fresh"}
    outdated |= set(force) & (set(names) or set(STAGES))
    check_inputs(project, outdated)
    if not project.settings.uses_chat:
        return []
    run = Run(project, is_dry=True)
    estimates = [estimate(run, outdated) for stage, estimate in _ESTIMATORS.items() if stage in outdated]
    return [row for rows in estimates for row in rows]


def as_rows(estimates: Sequence[StageEstimate]) -> list[dict[str, Any]]:
    """Return the estimates as JSON objects."""
    return [asdict(estimate) for estimate in estimates]


def _caption_calls(run: Run, outdated: set[str]) -> list[StageEstimate]:
    settings = run.settings
    if settings.images.captions != "vision":
        return []
    model = settings.images.caption_model or settings.llm.model
    if outdated & {"document_images"}:
        return [_unknown_estimate("image_captions", model)]
    count = _latest_table(run, "document_images").num_rows
    input_tokens, output_tokens = count * IMAGE_PROMPT_TOKENS, count * settings.images.caption_max_tokens
    cost = call_cost_usd(model, input_tokens, output_tokens, settings.llm.known_prices)
    return [StageEstimate("image_captions", model, "settings", count, count, None, input_tokens, output_tokens, cost)]


def _entity_calls(run: Run, outdated: set[str]) -> list[StageEstimate]:
    settings = run.settings
    if graph_extractor(settings) != "chat":
        return []
    return [_unknown_estimate("knowledge_graph", settings.graph.model or settings.llm.model)]


def _summary_calls(
    run: Run, outdated: set[str], stage: str, section: Literal["raptor", "lightrag"]
) -> list[StageEstimate]:
    own = getattr(run.settings, section)
    return [_unknown_estimate(stage, own.model or run.settings.llm.model)] if own.summariser == "chat" else []


def _planner_calls(run: Run, outdated: set[str]) -> list[StageEstimate]:
    if run.settings.planner.kind == "rule":
        return []
    plan_table(run.session, _question_table(run))
    return _take_requests(run, "query_plans", run.settings.planner.model or run.settings.llm.model, 1)


def _rerank_calls(run: Run, outdated: set[str]) -> list[StageEstimate]:
    if not asks_chat(run.settings.rerank, has_chat=True):
        return []
    return [_unknown_estimate("retrieved_context", run.settings.rerank.chat_model or run.settings.llm.model)]


def _answer_calls(run: Run, outdated: set[str]) -> list[StageEstimate]:
    settings, questions = run.settings, _question_table(run)
    tries = 1 + settings.answer.max_retries
    if outdated & {"retrieved_context", "vector_tables"}:
        return _at_batch_price(run, [_estimate_by_settings(run, questions.num_rows * settings.ensemble.runs, tries)])
    record = run.project.files.latest("vector_tables")
    assert record is not None
    snapshot = open_snapshot(run.project.snapshots, index_version(record.input_key))
    answer_questions(questions, _latest_table(run, "retrieved_context"), open_engine(run.session, snapshot))
    return _at_batch_price(run, _take_requests(run, "predictions", settings.llm.model, tries))


def _at_batch_price(run: Run, estimates: list[StageEstimate]) -> list[StageEstimate]:
    """Return the estimates at the price of batches if predictions are made in batches."""
    llm = run.settings.llm
    if not llm.batch:
        return estimates
    costs = [None if one.cost_usd is None else one.cost_usd * llm.batch_price_share for one in estimates]
    return [replace(one, cost_usd=cost) for one, cost in zip(estimates, costs, strict=True)]


_ESTIMATORS: dict[str, Callable[[Run, set[str]], list[StageEstimate]]] = {
    "image_captions": _caption_calls,
    "knowledge_graph": _entity_calls,
    "raptor_summaries": partial(_summary_calls, stage="raptor_summaries", section="raptor"),
    "lightrag_themes": partial(_summary_calls, stage="lightrag_themes", section="lightrag"),
    "query_plans": _planner_calls,
    "retrieved_context": _rerank_calls,
    "predictions": _answer_calls,
}


def _take_requests(run: Run, stage: str, model: str, tries: int) -> list[StageEstimate]:
    """Return the estimates for the requests that the dry chats received since the last call."""
    requests = [request for chat in run.session.dry_chats for request in chat.requests]
    replayed = sum(chat.replayed for chat in run.session.dry_chats)
    run.session.dry_chats.clear()
    estimates = estimate_calls(requests, run.settings.llm.known_prices, run.project.paths.llm_calls)
    estimates = estimates or [CallEstimate(stage, model, 0, 0, 0, 0.0)]
    return [
        StageEstimate(
            one.stage,
            one.model,
            "prompts",
            one.calls,
            one.calls * tries,
            replayed if place == 0 else 0,
            one.input_tokens,
            one.output_tokens,
            one.cost_usd,
        )
        for place, one in enumerate(estimates)
    ]


def _estimate_by_settings(run: Run, calls: int, tries: int) -> StageEstimate:
    settings = run.settings
    input_tokens = calls * (settings.retrieval.context_tokens + PROMPT_TOKENS)
    output_tokens = calls * settings.llm.max_tokens
    cost = call_cost_usd(settings.llm.model, input_tokens, output_tokens, settings.llm.known_prices)
    return StageEstimate(
        "predictions", settings.llm.model, "settings", calls, calls * tries, None, input_tokens, output_tokens, cost
    )


def _unknown_estimate(stage: str, model: str) -> StageEstimate:
    return StageEstimate(stage, model, "settings", None, None, None, None, None, None)


def _question_table(run: Run) -> pa.Table:
    path = run.settings.corpus.questions
    return empty_table(QUESTIONS) if path is None else read_questions(path)[0]


def _latest_table(run: Run, stage: str) -> pa.Table:
    record = run.project.files.latest(stage)
    assert record is not None
    return run.project.files.read(stage, record.input_key)
