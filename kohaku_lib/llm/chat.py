"""The chat port: what is asked of a chat model and what comes back."""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from kohaku_lib.errors import ModelError


class ChatModel(Protocol):
    """Anything that answers one request with one reply; it is called from several threads at once."""

    @property
    def provider(self) -> str:
        """Who serves the model, as it stands in the call ledger."""
        ...

    def complete(self, request: ChatRequest, keep: Keep | None = None) -> ChatReply:
        """Return the reply to `request`; raises CallError where there is none after all retries.

        `keep` is told of the reply while the call still counts as in flight: so a kill never loses more replies
        than may be in flight at once.
        """
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

    `run` tells equal prompts of different ensemble runs apart. `json_object` asks the server to reply with one
    JSON object, where it can. `images` follow the user's prompt. `top_logprobs` asks for so many candidates of the
    first token with their log probabilities; 0 asks for none.
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


@dataclass(frozen=True, slots=True)
class ChatReply:
    """The text of a reply and what it cost; None where the server did not say.

    `input_tokens` includes `cached_tokens`. `latency_s` is the time of the attempt that succeeded, without any
    waiting in a queue or between attempts.
    """

    text: str
    input_tokens: int | None
    cached_tokens: int | None
    output_tokens: int | None
    cost_usd: float | None
    latency_s: float
    attempts: int
    finish_reason: str | None
    replayed: bool = False  # taken from the ledger, not paid for again
    first_token: Mapping[str, float] | None = None  # candidate to log probability; None where the server gives none


Keep = Callable[[ChatReply], None]


class CallError(ModelError):
    """A call brought no reply; `attempts` were made, the last of which took `latency_s` seconds."""

    def __init__(self, message: str, *, attempts: int = 1, latency_s: float | None = None) -> None:
        super().__init__(message)
        self.attempts = attempts
        self.latency_s = latency_s


class ContextOverflowError(CallError):
    """The prompt does not fit the model's context; a shorter one may."""


class ProviderUnavailableError(CallError):
    """The server gives no reply after all retries, or refuses the key or the model: other calls fare no better."""
