"""The chat port: requests to chat models and their replies."""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from kohaku_lib.errors import ModelError


class ChatModel(Protocol):
    """Anything that answers one request with one reply; it is called from several threads at once."""

    @property
    def provider(self) -> str:
        """Who serves the model, as written in the call ledger."""
        ...

    def known(self, request: ChatRequest) -> ChatReply | None:
        """Return the reply that is on record and costs nothing; None where the model would be asked."""
        ...

    def complete(self, request: ChatRequest, keep: Keep | None = None) -> ChatReply:
        """Return the reply to `request`; raises CallError where there is none after all retries.

        `keep` is called with the reply while the call still counts as in flight: so a kill never loses more replies
        than may be in flight at once.
        """
        ...

    def stop(self) -> None:
        """Let no further attempt start, from now on: what is in flight ends, all else raises StoppedError."""
        ...


@dataclass(frozen=True, slots=True)
class ImagePart:
    """An image that goes with a prompt: its true media type ("image/webp") and its bytes."""

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
    """One call: the prompt, the parameters that shape the reply, and for whom it is made.

    `run` distinguishes equal prompts of different ensemble runs. `json_object` asks the server to reply with one
    JSON object, where it can, and `json_schema` with one of that schema. `images` follow the user's prompt.
    `top_logprobs` asks for so many candidates of the first token with their log probabilities; 0 asks for none.
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


@dataclass(frozen=True, slots=True)
class ChatReply:
    """The text of a reply and what it cost; None where the server did not say.

    `input_tokens` includes `cached_tokens`. `latency_s` is the time of the attempt that succeeded, without any
    waiting in a queue or between attempts; None for a reply out of a batch.
    """

    text: str
    input_tokens: int | None
    cached_tokens: int | None
    output_tokens: int | None
    cost_usd: float | None
    latency_s: float | None
    attempts: int
    finish_reason: str | None
    replayed: bool = False  # taken from the ledger, not paid for again
    answered_by: str | None = None  # "provider:model" of a fallback; None where the model that was asked replied
    first_token: Mapping[str, float] | None = None  # candidate to log probability; None where the server gives none


Keep = Callable[[ChatReply], None]


class CallError(ModelError):
    """A call brought no reply; `attempts` were made, the last of which took `latency_s` seconds."""

    def __init__(self, message: str, *, attempts: int = 1, latency_s: float | None = None) -> None:
        super().__init__(message)
        self.attempts = attempts
        self.latency_s = latency_s


class ContextOverflowError(CallError):
    """The prompt does not fit the model's context; a shorter one may.

    `limit_tokens` and `asked_tokens` are what the server said that it takes and was given, None where it did not.
    """

    limit_tokens: int | None = None
    asked_tokens: int | None = None


class ProviderUnavailableError(CallError):
    """The server gives no reply after all retries, or refuses the key or the model: other calls fare no better."""


class ServerDownError(ProviderUnavailableError):
    """The server gives no reply after all retries, or nothing more is left of its quota: another one may."""


class NoMoreCallsError(ServerDownError):
    """The server takes no more calls for long: a quota is spent, or the wait that it asks for is."""


class BudgetSpentError(CallError):
    """What is left of llm.max_cost_usd may not pay for the call."""


class PendingError(CallError):
    """The call waits in a batch, or goes with the next one."""


class StoppedError(CallError):
    """The run was stopped before the call was made, or before its reply had come."""


STOPPED = "the run was stopped; what was answered is kept, and the next run goes on from there"
