"""The chat model that the settings ask for."""

from __future__ import annotations

from kohaku_lib.llm.chat import ChatModel
from kohaku_lib.llm.ledger import CallLedger, LedgeredChat
from kohaku_lib.llm.openai_chat import OpenAIChat, Surroundings
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
