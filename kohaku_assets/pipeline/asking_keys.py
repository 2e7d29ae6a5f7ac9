"""The settings that affect the requests to a chat model and which model replies."""

from __future__ import annotations

from collections.abc import Iterator

from kohaku_lib.kinds import PROVIDERS
from kohaku_lib.settings import Settings


def asking_keys(settings: Settings) -> Iterator[str]:
    """Yield the settings that change the prompt or the parameters of a chat model's answers.

    >>> "answer.max_images" in asking_keys(Settings())
    False
    """
    yield from ("llm.model", "llm.max_tokens", "answer.context_first", "answer.snippet_order")
    yield from ("answer.temperature", "answer.seed", "answer.best_guess")
    if settings.retrieval.top_k_images:
        yield "answer.send_images"
    if settings.answer.send_images:
        yield from ("answer.max_images", "answer.max_image_mb")


def chat_keys(settings: Settings) -> Iterator[str]:
    """Yield the other settings of the chat client that may change a reply.

    >>> list(chat_keys(Settings()))
    []
    """
    yield from PROVIDERS.get(settings.llm.provider).settings_keys
    if settings.llm.fallback.provider:
        yield from ("llm.fallback.provider", "llm.fallback.model")
