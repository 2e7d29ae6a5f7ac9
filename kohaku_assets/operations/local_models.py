"""A model of a server on this machine: chosen in kohaku.toml, or tried with a question."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kohaku_assets.operations.settings_file import write_settings
from kohaku_lib.text.token_estimates import CHARACTERS_PER_TOKEN

if TYPE_CHECKING:
    from kohaku_lib.llm import ChatModel, ChatReply, ChatRequest
    from kohaku_lib.llm.chat import Keep
    from kohaku_lib.llm.servers.local_servers import FoundModel
    from kohaku_lib.settings import Settings
    from kohaku_lib.tables import Snippet

_LEAST_WINDOW = 1024  # that llm.models takes
_ASKED, _RIGHT = "How many litres does the blue kettle hold?", "1.7"
_TOLD = "The blue kettle in the tea kitchen holds 1.7 litres and was bought in 2019."


def choose(file: Path | None, model: FoundModel) -> dict[str, Any]:
    """Write into kohaku.toml that `model` answers, or embeds, and return the settings by dotted name.

    The key of the server before is taken out, as it would be sent to this one.

    Raises:
        SettingsError: There is no kohaku.toml.
    """
    values = settings_for(model)
    section = "embedding" if model.is_embedding else "llm"
    write_settings(file, {**values, (section, "api_key_env"): None})
    return {".".join(key): value for key, value in values.items()}


def let_reader_answer(file: Path | None) -> None:
    """Take out of kohaku.toml what `choose` wrote, so that the built-in reader answers again.

    Raises:
        SettingsError: There is no kohaku.toml.
    """
    answering = (("answer", "by"), ("llm", "provider"), ("llm", "base_url"), ("llm", "model"))
    write_settings(file, dict.fromkeys(answering))


def settings_for(model: FoundModel) -> dict[tuple[str, ...], Any]:
    """Return the settings by which `model` answers or embeds, each by its path in kohaku.toml.

    >>> from kohaku_lib.llm.servers.local_servers import FoundModel
    >>> list(settings_for(FoundModel("Ollama", "http://127.0.0.1:11434/v1", "qwen3:8b", None, 8192)).values())
    ['checked', 'openai', 'http://127.0.0.1:11434/v1', 'qwen3:8b', 8192]
    """
    if model.is_embedding:
        return {("embedding", "model"): f"openai:{model.name}", ("embedding", "base_url"): model.base_url}
    window = _told_window(model)
    return {
        ("answer", "by"): "checked",
        ("llm", "provider"): "openai",  # whose protocol the server speaks
        ("llm", "base_url"): model.base_url,
        ("llm", "model"): model.name,
        **({} if window is None else {("llm", "models", model.name, "context_window"): window}),
    }


def answering_with(settings: Settings, model: FoundModel) -> Settings:
    """Return `settings` as `choose` would make them, with `model` that answers; nothing is written."""
    from kohaku_lib.settings import ModelFacts

    update: dict[str, Any] = {
        "provider": "openai",
        "base_url": model.base_url,
        "model": model.name,
        "api_key_env": None,
    }
    window = _told_window(model)
    if window is not None:
        update["models"] = {**settings.llm.models, model.name: ModelFacts(context_window=window)}
    return settings.model_copy(
        update={
            "llm": settings.llm.model_copy(update=update),
            "answer": settings.answer.model_copy(update={"by": "checked"}),
        }
    )


def _told_window(model: FoundModel) -> int | None:
    """Return the window that the server tells of; None for one that llm.models does not take."""
    return model.context_window if (model.context_window or 0) >= _LEAST_WINDOW else None


@dataclass(frozen=True, slots=True)
class ModelTest:
    """How a model answered one question over a context of the usual length; None where that is unknown.

    `problem` is why there is no answer, or what else is wrong, such as a prompt that the server cut.
    """

    is_right: bool
    seconds: float
    output_tokens: int | None
    input_tokens: int | None
    problem: str | None

    @property
    def tokens_per_second(self) -> float | None:
        """The tokens of the reply by the seconds of the call, in which the prompt is read, too."""
        return None if self.output_tokens is None or not self.seconds else self.output_tokens / self.seconds


def try_model(settings: Settings, model: FoundModel) -> ModelTest:
    """Ask `model` a question whose answer stands in the first of as many excerpts as a context usually has."""
    from kohaku_lib.answering.chat.chat_answerer import ChatAnswerer
    from kohaku_lib.errors import ModelError
    from kohaku_lib.llm import build_chat
    from kohaku_lib.tables import Question

    window = _told_window(model)
    llm = answering_with(settings, model).llm
    chat = build_chat(llm)
    assert chat is not None  # it has a provider
    heard: list[ChatReply] = []
    answerer = ChatAnswerer(_heard_chat(chat, heard), llm, settings.answer)
    excerpts = _excerpts(settings.retrieval.context_tokens, window, llm.max_tokens)
    began = time.monotonic()
    try:
        answer = answerer.answer(Question("test", _ASKED), excerpts)
    except ModelError as error:
        return ModelTest(False, time.monotonic() - began, None, None, str(error))
    reply = heard[-1]
    is_right = _RIGHT in answer.answer_value
    problem = answer.error or answer.warning
    return ModelTest(is_right, time.monotonic() - began, reply.output_tokens, reply.input_tokens, problem)


def _excerpts(context_tokens: int, window: int | None, reply_tokens: int) -> list[Snippet]:
    """Return the excerpt that answers, then others up to a usual context, or to the window that the server tells of."""
    from kohaku_lib.tables import Snippet

    room = context_tokens if window is None else min(context_tokens, window - reply_tokens - _PROMPT_TOKENS)
    lines = [
        f"Shelf {shelf} in the cellar holds {shelf % 7 + 2} boxes of paper, which are counted each spring."
        for shelf in range(1, max(room, 0) * CHARACTERS_PER_TOKEN // _LINE_CHARACTERS)
    ]
    texts = [_TOLD, *(" ".join(lines[at : at + _LINES]) for at in range(0, len(lines), _LINES))]
    return [
        Snippet(f"inventory:p{place}", "inventory", "Inventory", None, text, place, 1.0)
        for place, text in enumerate(texts, start=1)
    ]


_LINES, _LINE_CHARACTERS = 12, 80  # of an excerpt, and of a line, about
_PROMPT_TOKENS = 1000  # of the instructions around the excerpts


def _heard_chat(chat: ChatModel, heard: list[ChatReply]) -> ChatModel:
    """Return `chat` with its replies kept in `heard`."""
    from kohaku_lib.llm.chat import ChatWrapper

    class Heard(ChatWrapper):
        def complete(self, request: ChatRequest, keep: Keep | None = None) -> ChatReply:
            heard.append(self._chat.complete(request, keep))
            return heard[-1]

    return Heard(chat)
