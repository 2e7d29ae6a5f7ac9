"""The chat model of a session and the planner that calls it; each call is recorded in the ledger of the store."""

from __future__ import annotations

from kohaku_lib.llm import CallLedger, ChatModel, ChatRequest, DryChat, Environment, build_chat
from kohaku_lib.project.session import Session
from kohaku_lib.retrieval import PlannerChat
from kohaku_lib.settings import LlmSettings

PLAN_TOKENS = 512


def make_chat(session: Session) -> ChatModel | None:
    """Return the chat model of the settings, each call recorded in the store's ledger; None if none answers."""
    return ledgered_chat(session, session.settings.llm) if session.settings.uses_chat else None


def make_planner(session: Session, seed: int = 0) -> PlannerChat | None:
    """Return the function that plans queries by a chat model; None if they are planned by rule.

    With `seed` 0 plans are made at temperature 0, else at `answer.temperature`, so that they may differ.
    """
    settings = session.settings
    chat = make_chat(session) if settings.planner.kind != "rule" else None
    if chat is None:
        return None

    def plan(system: str, user: str, question_id: str) -> str:
        request = ChatRequest(
            model=settings.planner.model or settings.llm.model,
            system=system,
            user=user,
            temperature=settings.answer.temperature if seed else 0.0,
            max_tokens=PLAN_TOKENS,
            seed=seed,
            run=0,
            stage="query_plans",
            question_id=question_id,
        )
        return chat.complete(request).text

    return plan


def ledgered_chat(session: Session, llm: LlmSettings) -> ChatModel | None:
    """Return the chat model of `llm`, each call recorded in the ledger of the store; None if none is needed.

    A session with `shared_chats` builds it once.
    """
    org_id = session.settings.corpus.org_id
    key = f"{org_id}\n{llm.model_dump_json()}" if session.shared_chats is not None else ""
    if session.shared_chats is not None and key in session.shared_chats:
        return session.shared_chats[key]
    chat = _new_chat(session, llm)
    if session.shared_chats is not None and chat is not None:
        return session.shared_chats.setdefault(key, chat)
    return chat


def _new_chat(session: Session, llm: LlmSettings) -> ChatModel | None:
    ledger = CallLedger(session.paths.llm_calls, session.settings.corpus.org_id)
    chat = build_chat(llm, ledger, Environment(needs_key=not session.is_dry), session.spending)
    if chat is None or not session.is_dry:
        return chat
    session.dry_chats.append(DryChat(chat))
    return session.dry_chats[-1]
