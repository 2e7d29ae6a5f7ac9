"""The interface of providers of chat models, which `llm.provider` names, and the registry of all."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from kohaku_lib.llm.chat import ChatModel
from kohaku_lib.llm.environment import Environment
from kohaku_lib.registry import Registry
from kohaku_lib.settings import LlmSettings, Settings


@dataclass(frozen=True, slots=True)
class ServerKind:
    """A public server of the OpenAI protocol; `llm.base_url` and `llm.api_key_env` go before its own."""

    base_url: str
    key_variable: str
    has_batches: bool = False  # OpenAI's Batch API
    names_makers: bool = True  # names of models may be "maker/model"


@dataclass(frozen=True, slots=True)
class ProviderKind:
    """A place where chat models run.

    `settings_keys` are the settings that its replies depend on, by dotted name, beside those that every chat model
    reads; where the text of a setting is not what they depend on, `identities` gives what does, by key.
    """

    name: str
    build_chat: Callable[[LlmSettings, Environment], ChatModel]
    server: ServerKind | None = None  # remote: behind a circuit breaker and a budget, with a fallback
    settings_keys: tuple[str, ...] = ()
    identities: Mapping[str, Callable[[Settings], Any]] = field(default_factory=dict)
    sees_images: bool = False
    check: Callable[[LlmSettings], None] | None = None  # raises ModelError where it cannot work, without loading it
    order: int = 100  # in which providers are listed


PROVIDERS: Registry[ProviderKind] = Registry("provider", folder=__package__)
