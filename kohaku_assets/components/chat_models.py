"""The chat models of a run and what asks them beside answers: planner, describer of figures, entity extractor."""

from __future__ import annotations

from kohaku_assets.pipeline.run import Run
from kohaku_assets.pipeline.stages import graph_extractor
from kohaku_lib.documents import VisionDescriber
from kohaku_lib.index.graph import ChatExtractor, GraphPrompt
from kohaku_lib.llm import CallLedger, ChatModel, ChatRequest, DryChat, Environment, build_chat
from kohaku_lib.retrieval import PlannerChat
from kohaku_lib.settings import LlmSettings
from kohaku_lib.storage import RowCache

PLAN_TOKENS = 512


def make_chat(run: Run) -> ChatModel | None:
    """Return the chat model of the settings, each call recorded in the store's ledger; None where none is needed."""
    return _ledgered_chat(run, run.settings.llm)


def make_describer(run: Run) -> VisionDescriber | None:
    """Return what describes figures by a vision model; None where the settings choose no such model."""
    settings = run.settings
    if settings.images.captions != "vision":
        return None
    llm = settings.llm.model_copy(update={"max_concurrent": settings.images.caption_concurrent})
    chat = _ledgered_chat(run, llm)
    return VisionDescriber(chat, settings.images.caption_model or llm.model, settings.images) if chat else None


def make_extractor(run: Run, cache: RowCache) -> ChatExtractor | None:
    """Return what reads paragraphs for entities by a chat model; None where the rules alone find them."""
    settings = run.settings
    if graph_extractor(settings) != "chat":
        return None
    llm = settings.llm.model_copy(update={"max_concurrent": settings.graph.max_concurrent})
    chat, prompt = _ledgered_chat(run, llm), GraphPrompt(settings.graph.model or llm.model, settings.graph)
    return ChatExtractor(chat, prompt, cache, settings.graph.max_concurrent) if chat else None


def make_planner(run: Run) -> PlannerChat | None:
    """Return the function that plans queries by a chat model; None where they are planned by rule."""
    settings = run.settings
    chat = make_chat(run) if settings.planner.kind != "rule" else None
    if chat is None:
        return None

    def plan(system: str, user: str, question_id: str) -> str:
        request = ChatRequest(
            model=settings.planner.model or settings.llm.model,
            system=system,
            user=user,
            temperature=0.0,
            max_tokens=PLAN_TOKENS,
            seed=0,
            run=0,
            stage="query_plans",
            question_id=question_id,
        )
        return chat.complete(request).text

    return plan


def _ledgered_chat(run: Run, llm: LlmSettings) -> ChatModel | None:
    ledger = CallLedger(run.project.store / "llm_calls")
    chat = build_chat(llm, ledger, Environment(needs_key=not run.is_dry), run.spending)
    if chat is None or not run.is_dry:
        return chat
    run.dry_chats.append(DryChat(chat))
    return run.dry_chats[-1]
