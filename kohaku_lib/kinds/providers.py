"""The providers of chat models that `llm.provider` names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from kohaku_lib.registry import Registry, lazy

if TYPE_CHECKING:
    from kohaku_lib.llm import ChatModel, Environment
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


PROVIDERS: Registry[ProviderKind] = Registry("provider")

PROVIDERS.register(
    ProviderKind(
        "openai",
        build_chat=lazy("kohaku_lib.llm.providers.openai_chat:OpenAIChat"),
        server=ServerKind("https://api.openai.com/v1", "OPENAI_API_KEY", has_batches=True, names_makers=False),
        sees_images=True,
    )
)
PROVIDERS.register(
    ProviderKind(
        "openrouter",
        build_chat=lazy("kohaku_lib.llm.providers.openai_chat:OpenAIChat"),
        server=ServerKind("https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"),
        sees_images=True,
    )
)
PROVIDERS.register(
    ProviderKind(
        "bedrock",
        build_chat=lazy("kohaku_lib.llm.providers.openai_chat:OpenAIChat"),
        server=ServerKind(
            "https://bedrock-runtime.us-west-2.amazonaws.com/openai/v1", "AWS_BEARER_TOKEN_BEDROCK", names_makers=False
        ),
    )
)
PROVIDERS.register(
    ProviderKind(
        "local",
        build_chat=lazy("kohaku_lib.llm.providers.local_chat:LocalChat"),
        settings_keys=("llm.dtype",),
        identities={"llm.model": lazy("kohaku_lib.llm.providers.local_model:model_content")},
        check=lazy("kohaku_lib.llm.providers.local_model:check_folder"),
    )
)
