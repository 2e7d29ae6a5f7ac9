"""Stages of the group answer: from a file of questions to a structured answer per question and ensemble run."""

from __future__ import annotations

from collections.abc import Iterator

from kohaku_assets.pipeline.effective_values import has_short_prompt, planner_kind
from kohaku_assets.pipeline.retrieval_keys import retrieval_keys, retrieval_prompts
from kohaku_assets.pipeline.setting_keys import Implied, chat_keys, implied_if, model_keys
from kohaku_assets.pipeline.stage import Stage
from kohaku_lib.settings import CorpusSettings, Settings

_STEPS = "kohaku_assets.steps.answer"
BY = ("answer.by", "llm.provider")  # which tell whether a chat model answers


def question_keys(settings: Settings) -> Iterator[str]:
    """Yield the settings that affect which questions are asked: the accepted ones are those of an organisation."""
    if settings.corpus.accepted_questions.is_file() and settings.corpus.org_id != CorpusSettings().org_id:
        yield "corpus.org_id"


def planner_keys(settings: Settings) -> Iterator[str]:
    """Yield the settings that affect query plans."""
    yield from ("planner.max_queries", "planner.kind", "planner.routing", *map(Implied, BY))
    if planner_kind(settings) == "chat":
        yield from ("planner.style", "planner.hyde", "planner.step_back")
        if settings.planner.routing == "rules":
            yield "planner.classifier"
        yield "llm.provider"
        yield from model_keys(settings, "planner.model")
        yield from chat_keys(settings)


def planner_prompts(settings: Settings) -> Iterator[str]:
    """Yield the prompts that are sent for query plans."""
    planner = settings.planner
    if planner_kind(settings) != "chat":
        return
    if planner.style == "channels":
        yield "channel_plan"
    elif planner.max_queries > 1:
        yield "search_queries" if planner.style == "queries" else "question_variations"
    if planner.routing != "off" and planner.max_queries > 1:  # a route may need variations
        yield "question_variations"
    if planner.routing == "rules" and planner.classifier == "chat":
        yield "question_class"
    if planner.hyde != "off":
        yield "hypothetical_passage"
    if planner.step_back != "off":
        yield "broader_question"


def prediction_keys(settings: Settings) -> Iterator[str]:
    """Yield the settings that affect answers."""
    yield from ("answer.by", Implied("llm.provider"))
    is_recorded = settings.answerer == "replay"
    if is_recorded:
        yield "replay.runs"
    elif settings.answerer == "reader" or settings.is_checked:
        yield from ("answer.wrong_answer_penalty", "answer.read_passages")
    # recorded answers are taken as they are, whatever is prepared to ask anew
    yield from implied_if(is_recorded, _answering_keys(settings))


def _answering_keys(settings: Settings) -> Iterator[str]:
    retries = settings.answer.max_retries
    yield from ("ensemble.runs", "answer.max_retries")
    yield from implied_if(not retries, ("answer.deepening",))
    # Two settings may agree on the first context but not on those of further searches.
    yield from implied_if(not _searches_again(settings), retrieval_keys(settings))
    yield from map(Implied, ("answer.replan_on_retry", "answer.overflow", "answer.send_images"))
    if retries and _replans(settings):
        yield "answer.replan_on_retry"
        yield from planner_keys(settings)
    if settings.uses_chat:
        yield from ("llm.provider", "answer.keep_unstated", "answer.form")
        yield from (text_keys(settings) if settings.answer.form == "text" else asking_keys(settings))
        yield from chat_keys(settings)
    elif not retries:
        yield from ("retrieval.fusion", "retrieval.dense_weight")  # whether vectors count for what the passages cover


def asking_keys(settings: Settings) -> Iterator[str]:
    """Yield the settings that change the prompt or the parameters of a chat model's answers.

    >>> "answer.max_images" in asking_keys(Settings())
    False
    """
    yield from ("llm.model", "llm.max_tokens", "answer.context_first", "answer.snippet_order", "answer.headings")
    yield from ("answer.temperature", "answer.seed", "answer.best_guess", "answer.cite", "answer.overflow")
    yield from ("llm.models", "answer.prompt")
    yield from _image_keys(settings)


def text_keys(settings: Settings) -> Iterator[str]:
    """Yield the settings that change the prompt or the parameters of a chat model's texts."""
    yield from (
        "llm.model",
        "llm.max_tokens",
        "llm.models",
        "answer.snippet_order",
        "answer.temperature",
        "answer.seed",
    )
    yield from ("assistant.temperature", "assistant.chain_of_thought", "assistant.extended_thinking")
    yield from ("assistant.context_window", "assistant.model_size_b", "rerank.verify", "answer.overflow")
    yield from _image_keys(settings)


def _image_keys(settings: Settings) -> Iterator[str]:
    yield "answer.send_images" if settings.retrieval.top_k_images else Implied("answer.send_images")
    if settings.answer.send_images:
        yield from ("answer.max_images", "answer.max_image_mb")


def answer_prompts(settings: Settings) -> Iterator[str]:
    """Yield the prompts that are sent for answers."""
    if _searches_again(settings) and settings.answerer != "replay":
        yield from retrieval_prompts(settings)
        if _replans(settings):
            yield from planner_prompts(settings)
    if settings.uses_chat and settings.answer.form == "text":
        yield "cited_answer"
    elif settings.uses_chat:
        yield "short_answer" if has_short_prompt(settings) else "structured_answer"
        if settings.answer.cite != "document":
            yield f"{settings.answer.cite}_citation"


def _searches_again(settings: Settings) -> bool:
    """Whether further contexts are searched for: deeper ones after a blank, narrower ones after an overflow."""
    narrows = settings.uses_chat and settings.answer.overflow != "measured"
    return bool(settings.answer.max_retries) or narrows


def _replans(settings: Settings) -> bool:
    return settings.answer.replan_on_retry and planner_kind(settings) == "chat"


ANSWER = (
    Stage("questions", "answer", _STEPS, keys=question_keys, code_tag="2", reads_files=True, kinds=("csv", "parquet")),
    Stage("query_plans", "answer", _STEPS, ("questions",), planner_keys, planner_prompts, code_tag="4", work="answer"),
    Stage(
        "retrieved_context",
        "answer",
        _STEPS,
        ("query_plans", "vector_tables"),
        retrieval_keys,
        retrieval_prompts,
        code_tag="14",
        work="answer",
        kinds=("python", "numpy"),
    ),
    Stage(
        "predictions",
        "answer",
        _STEPS,
        ("questions", "retrieved_context", "vector_tables"),
        prediction_keys,
        answer_prompts,
        code_tag="25",
        work="answer",
        may_wait=True,
    ),
)
