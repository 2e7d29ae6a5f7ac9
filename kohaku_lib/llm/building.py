"""The chat model that the settings ask for."""

from __future__ import annotations

from collections.abc import Callable

from kohaku_lib.llm.calling import Surroundings
from kohaku_lib.llm.chat import ChatModel, ChatRequest
from kohaku_lib.llm.ledger import CallLedger, LedgeredChat
from kohaku_lib.llm.openai_chat import OpenAIChat
from kohaku_lib.settings import LlmSettings


def build_chat(
    settings: LlmSettings, ledger: CallLedger | None = None, surroundings: Surroundings | None = None
) -> ChatModel | None:
    """Return the chat model of `settings`, each call recorded in `ledger`; None where the provider needs none.

    Raises ModelError where the key is missing.

    >>> build_chat(LlmSettings(provider="extractive")) is None
    True
    """
    if settings.provider in ("extractive", "replay"):
        return None
    chat = OpenAIChat(settings, surroundings)
    return chat if ledger is None else LedgeredChat(chat, ledger)


def plain_chat(
    chat: ChatModel, settings: LlmSettings, stage: str, *, model: str | None = None, seed: int = 0
) -> Callable[[str, str, str], str]:
    """Return `chat` as a function (system, user, question id) → text, at temperature 0, for the calls of `stage`.

    `model` is `settings.model` by default. The function raises CallError.
    """

    def ask(system: str, user: str, question_id: str) -> str:
        request = ChatRequest(
            model=model or settings.model,
            system=system,
            user=user,
            temperature=0.0,
            max_tokens=settings.max_tokens,
            seed=seed,
            run=0,
            stage=stage,
            question_id=question_id,
        )
        return chat.complete(request).text

    return ask
