"""Construction of the chat model from settings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from kohaku_lib.llm.chat import ChatModel, ChatRequest
from kohaku_lib.llm.environment import Environment
from kohaku_lib.llm.ledger.calls import CallLedger, LedgeredChat
from kohaku_lib.llm.providers.interface import PROVIDERS
from kohaku_lib.llm.resilience.breaker import CircuitBreaker
from kohaku_lib.llm.resilience.guarded_chat import GuardedChat
from kohaku_lib.llm.spending import BudgetedChat, Spending
from kohaku_lib.settings import LlmSettings


def build_chat(
    settings: LlmSettings,
    ledger: CallLedger | None = None,
    environment: Environment | None = None,
    spending: Spending | None = None,
) -> ChatModel | None:
    """Return the chat model of `settings`, with all calls recorded in `ledger`; None without a provider.

    Calls to a remote server go through a circuit breaker, with the fallback if configured.

    Args:
        settings: The section `llm`.
        ledger: Where calls are recorded and looked up.
        environment: Clock, randomness and environment variables.
        spending: The run's cost so far, for llm.max_cost_usd; zero by default.

    Raises:
        ModelError: A key, a price or a local model is missing.

    Example:
        >>> build_chat(LlmSettings()) is None
        True

    """
    if settings.provider is None:
        return None
    kind = PROVIDERS.get(settings.provider)
    environment = environment or Environment()
    if kind.server is None:
        chat = kind.build_chat(settings, environment)
        return chat if ledger is None else LedgeredChat(chat, ledger)
    total_spending = spending or Spending()
    chat = _served_chat(settings, ledger, environment, total_spending)
    fallback = settings.fallback
    if fallback.provider is None:
        return GuardedChat(chat, CircuitBreaker(environment.clock))
    fallback_settings = settings.model_copy(
        update={name: getattr(fallback, name) for name in ("provider", "base_url", "api_key_env")}
    )
    model = fallback.model or settings.model
    return GuardedChat(
        chat,
        CircuitBreaker(environment.clock),
        _served_chat(fallback_settings, ledger, environment, total_spending),
        model,
    )


def _served_chat(
    settings: LlmSettings, ledger: CallLedger | None, environment: Environment, spending: Spending
) -> ChatModel:
    assert settings.provider is not None
    chat = PROVIDERS.get(settings.provider).build_chat(settings, environment)
    if settings.max_cost_usd is not None:
        chat = BudgetedChat(chat, spending, settings.max_cost_usd, settings.known_prices.get)
    return chat if ledger is None else LedgeredChat(chat, ledger)


def plain_chat(
    chat: ChatModel,
    settings: LlmSettings,
    stage: str,
    *,
    model: str | None = None,
    seed: int = 0,
    tools: tuple[Mapping[str, Any], ...] = (),
) -> Callable[[str, str, str], str]:
    """Return `chat` as a function (system, user, question id) → text, at temperature 0, for the calls of `stage`.

    `model` is `settings.model` by default. With `tools` a reply may be a tool call. The function raises CallError.
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
            json_object=not tools,
            tools=tools,
        )
        return chat.complete(request).text

    return ask
