"""A message to the assistant, with what its sender may choose."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from kohaku_lib.errors import KohakuError
from kohaku_lib.index import SearchFilter

Level = Literal["basic", "standard", "enhanced", "maximum"]
Mode = Literal["chat", "general", "agent", "vision"]


class RequestError(KohakuError):
    """A request to the assistant breaks a rule; the server answers it with status 400."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AssistantRequest:
    """A message, the session it continues, and its choices; None leaves a choice to the level and the settings.

    `mode` "chat" answers from the documents, "general" from the language model alone, "agent" in several searches, "vision"
    from the documents, their figures and `images` by a language model that sees.
    """

    message: str
    session_id: str | None = None  # None: a new session
    user_id: str | None = None  # the owner of the session
    org_id: str | None = None  # the organisation that asks; mandatory where the documents are of several
    mode: str = "chat"
    images: tuple[bytes, ...] = ()  # PNG, JPEG, WebP or GIF, of mode "vision"
    collection_filter: str | None = None  # a value of the metadata column `collection`
    folder_id: str | None = None  # a folder relative to corpus.documents
    document_ids: tuple[str, ...] = ()  # those that may be searched; () are all
    intelligence_level: str | None = None
    temperature_override: float | None = None
    enable_cot: bool | None = None
    enable_verification: bool | None = None
    ensemble_voting: bool | None = None

    @property
    def where(self) -> SearchFilter:
        """The documents that may be searched."""
        return SearchFilter(
            documents=self.document_ids,
            collections=(self.collection_filter,) if self.collection_filter else (),
            folders=(self.folder_id,) if self.folder_id else (),
        )


def check_request(request: AssistantRequest, max_chars: int) -> None:
    """Check that a request can be answered.

    Raises:
        RequestError: The message is empty or too long, or a choice is unknown.

    >>> check_request(AssistantRequest(message="Hi", mode="telepathy"), 4000)
    Traceback (most recent call last):
    kohaku_lib.conversation.request.RequestError: mode must be one of 'chat', 'general', 'agent', 'vision', got 'telepathy'
    """
    if not request.message.strip():
        msg = "the message is empty; ask something"
        raise RequestError(msg)
    check_length(request.message, max_chars)
    _check_choice("mode", request.mode, get_args(Mode))
    if request.intelligence_level is not None:
        _check_choice("intelligence_level", request.intelligence_level, get_args(Level))
    if request.images and request.mode != "vision":
        msg = f"images are looked at in mode 'vision', got mode {request.mode!r}"
        raise RequestError(msg)
    temperature = request.temperature_override
    if temperature is not None and not 0.0 <= temperature <= 2.0:
        msg = f"temperature_override must be from 0 to 2, got {temperature}"
        raise RequestError(msg)


def check_length(text: str, max_chars: int) -> None:
    """Raise RequestError where a message, question or query has more than `max_chars` characters."""
    if len(text) > max_chars:
        msg = f"a message has at most assistant.max_message_chars = {max_chars} characters, got {len(text)}"
        raise RequestError(msg)


def _check_choice(name: str, value: str, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        msg = f"{name} must be one of {', '.join(map(repr, allowed))}, got {value!r}"
        raise RequestError(msg)
