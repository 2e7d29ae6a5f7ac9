"""The chat model interface: requests, replies and errors."""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from kohaku_lib.errors import ModelError


class ChatModel(Protocol):
    """A chat model; must be thread-safe."""

    @property
    def provider(self) -> str:
        """The provider's name in the call ledger."""
        ...

    def known(self, request: ChatRequest) -> ChatReply | None:
        """Return the recorded reply, without cost; None if there is none."""
        ...

    def complete(self, request: ChatRequest, keep: Keep | None = None) -> ChatReply:
        """Return the reply to `request`.

        `keep` is called with the reply while the call still counts as in flight, so that a kill loses at most the replies in
        flight.

        Raises:
            CallError: All retries failed, or a retry cannot help.
        """
        ...

    def stop(self) -> None:
        """Start no further attempts: calls in flight finish, all others raise StoppedError."""
        ...


class ChatWrapper:
    """The members that a chat model around `chat` takes from it unchanged: provider, recorded replies, stopping."""

    def __init__(self, chat: ChatModel) -> None:
        self._chat = chat

    @property
    def provider(self) -> str:
        """The provider of the wrapped model."""
        return self._chat.provider

    def known(self, request: ChatRequest) -> ChatReply | None:
        """Return the wrapped model's recorded reply."""
        return self._chat.known(request)

    def stop(self) -> None:
        """Start no further attempts."""
        self._chat.stop()


@dataclass(frozen=True, slots=True)
class ImagePart:
    """An image of a prompt: its actual media type ("image/webp") and bytes."""

    mime: str
    data: bytes

    @property
    def data_url(self) -> str:
        """Return the image as a data URL.

        >>> ImagePart("image/webp", b"RIFF").data_url
        'data:image/webp;base64,UklGRg=='
        """
        return f"data:{self.mime};base64,{base64.b64encode(self.data).decode()}"


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """One call: the prompt, the parameters that affect the reply, and its purpose.

    `run` distinguishes equal prompts of different ensemble runs. `json_object` requests a JSON object if the server supports
    it, `json_schema` one of that schema. `images` follow the user's prompt. `top_logprobs` is the number of candidates of the
    first token to return with log probabilities. `tools` are schemas of functions that the model may call instead of replying;
    a call is the reply's text, see `tool_calls`. `on_text` is called with each part of the reply as it arrives, and once with
    all of a recorded one. A reply that is not `is_usable` is paid and recorded, and asked for anew by a later call. Neither
    is part of what identifies a call.
    """

    model: str
    system: str
    user: str
    temperature: float
    max_tokens: int
    seed: int
    run: int
    stage: str
    question_id: str
    json_object: bool = True
    images: tuple[ImagePart, ...] = ()
    top_logprobs: int = 0
    json_schema: Mapping[str, Any] | None = None
    top_p: float | None = None
    top_k: int | None = None
    reasoning_effort: str | None = None
    tools: tuple[Mapping[str, Any], ...] = ()
    on_text: Callable[[str], object] | None = field(default=None, compare=False, repr=False)
    is_usable: Callable[[ChatReply], bool] | None = field(default=None, compare=False, repr=False)

    def announced(self, reply: ChatReply) -> ChatReply:
        """Return `reply`, which did not arrive in parts, after calling `on_text` with its text."""
        if self.on_text is not None:
            self.on_text(reply.text)
        return reply


@dataclass(frozen=True, slots=True)
class ChatReply:
    """The text of a reply and its cost, that of unusable replies before it included; None if not reported.

    `input_tokens` includes `cached_tokens`. `latency_s` is the time of the successful attempt, without waiting; None for a
    reply from a batch.
    """

    text: str
    input_tokens: int | None
    cached_tokens: int | None
    output_tokens: int | None
    cost_usd: float | None
    latency_s: float | None
    attempts: int
    finish_reason: str | None
    replayed: bool = False  # from the ledger, without a new call
    fallback: str | None = None  # "provider:model" of a fallback; None if the primary model replied
    first_token: Mapping[str, float] | None = None  # candidate to log probability; None if not reported


Keep = Callable[[ChatReply], None]


class CallError(ModelError):
    """A call failed after `attempts`, the last of which took `latency_s` seconds.

    `received` is the text that had arrived when a reply in parts was cut: it is paid for, but no answer. Tokens and cost are
    what the server counted for replies that could not be used; None if it counted nothing.
    """

    received: str = ""
    input_tokens: int | None = None
    cached_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None

    def __init__(self, message: str, *, attempts: int = 1, latency_s: float | None = None) -> None:
        super().__init__(message)
        self.attempts = attempts
        self.latency_s = latency_s


class ContextOverflowError(CallError):
    """The prompt exceeds the model's context.

    `limit_tokens` and `prompt_tokens` are the limit and the prompt's size as reported by the server, None if not reported.
    """

    limit_tokens: int | None = None
    prompt_tokens: int | None = None


class ProviderUnavailableError(CallError):
    """The server does not reply after all retries, or refuses the key or the model; other calls would fail too."""


class ServerDownError(ProviderUnavailableError):
    """The server does not reply after all retries, or its quota is spent; another server may work."""


class BlankReplyError(CallError):
    """The model replied with no text, after all retries: this tells of the question, not of the server."""


class NoMoreCallsError(ServerDownError):
    """The server accepts no calls for a long time: a quota is spent, or it requires a long wait."""


class BudgetSpentError(CallError):
    """The rest of llm.max_cost_usd may not cover the call."""


class PendingError(CallError):
    """The call is pending in a batch, or queued for the next one."""


class StoppedError(CallError):
    """The run was stopped before the call was made or its reply arrived."""


STOPPED = "the run was stopped; finished calls are saved, and the next run continues from there"
