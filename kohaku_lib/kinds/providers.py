"""The providers that `llm.provider` names: the answerer, and the chat model for all other calls.

The other calls are those for planning, grading, captions and the knowledge graph.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from kohaku_lib.registry import Registry, lazy

if TYPE_CHECKING:
    from kohaku_lib.answering.answerer import Answerer
    from kohaku_lib.answering.figures import ReadImages
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
    """A way to answer questions, by a chat model where it has `build_chat`.

    `settings_keys` are the settings that its replies depend on, by dotted name, beside those that every chat model
    reads; where the text of a setting is not what they depend on, `identities` gives what does, by key.
    """

    name: str
    build_answerer: Callable[[Settings, ChatModel | None, ReadImages | None], Answerer] = field(
        default=lazy("kohaku_lib.answering.chat.chat_answerer:build_chat_answerer")
    )
    build_chat: Callable[[LlmSettings, Environment], ChatModel] | None = None
    server: ServerKind | None = None  # remote: behind a circuit breaker and a budget, with a fallback
    settings_keys: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()  # settings that must be set
    identities: Mapping[str, Callable[[Settings], Any]] = field(default_factory=dict)
    sees_images: bool = False
    is_recorded: bool = False  # its answers are on file: they need no snippets and are kept as they are
    label_runs: Callable[[Settings], Sequence[str]] | None = None  # by default the model, or its name, and a number
    check: Callable[[LlmSettings], None] | None = None  # raises ModelError where it cannot work, without loading it

    @property
    def uses_chat(self) -> bool:
        """Whether a chat model answers."""
        return self.build_chat is not None


PROVIDERS: Registry[ProviderKind] = Registry("provider")

PROVIDERS.register(ProviderKind("extractive", lazy("kohaku_lib.answering.extractive.answerer:build_extractive")))
PROVIDERS.register(
    ProviderKind(
        "reader",
        lazy("kohaku_lib.answering.extractive.reading_answerer:build_reading"),
        settings_keys=("answer.wrong_cost", "answer.read_passages"),
    )
)
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
PROVIDERS.register(
    ProviderKind(
        "replay",
        lazy("kohaku_lib.answering.replay:build_replay"),
        settings_keys=("replay.runs",),
        needs=("replay.runs",),
        identities={"replay.runs": lazy("kohaku_lib.answering.replay:recorded_content")},
        is_recorded=True,
        label_runs=lazy("kohaku_lib.answering.replay:label_recorded"),
    )
)
