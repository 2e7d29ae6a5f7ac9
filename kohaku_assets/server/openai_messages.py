"""Conversations of the OpenAI protocol, whose clients send all messages each time: found again as sessions."""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from cachetools import LRUCache

from kohaku_assets.server.access.principal import Principal
from kohaku_assets.server.problems import Problem
from kohaku_lib.answering.cited.dialogue import Turn
from kohaku_lib.conversation.understanding.understand import understand
from kohaku_lib.digests import text_sha256
from kohaku_lib.text.untrusted_json import without_surrogates

MOST_CONVERSATIONS = 10_000


@dataclass(frozen=True, slots=True)
class LastMessage:
    """The message that is to be answered, with its pictures, and the session that holds what was said before."""

    message: str
    session_id: str | None
    pictures: tuple[str, ...] = ()


class KnownConversations:
    """The sessions of conversations by what was said so far. Thread-safe.

    A conversation that this process did not hold itself has no session: its last question is made complete by the
    turns before.
    """

    def __init__(self) -> None:
        self._session_ids: LRUCache[str, str] = LRUCache(MOST_CONVERSATIONS)
        self._lock = threading.Lock()

    def asked(self, messages: Sequence[dict[str, Any]], caller: Principal) -> LastMessage:
        """Return the message of a request and its session.

        Raises:
            Problem: The last message is not one of a user, or has no text.
        """
        said = [(str(one.get("role")), text_of(one.get("content"))) for one in messages]
        said = [(role, text) for role, text in said if role in ("user", "assistant")]
        if not said or said[-1][0] != "user" or not said[-1][1].strip():
            raise Problem(400, "the last of messages must be one of the role user with a text")
        message, before = said[-1][1], said[:-1]
        last = next(one for one in reversed(messages) if str(one.get("role")) == "user")
        pictures = tuple(pictures_of(last.get("content")))
        if not before:
            return LastMessage(message, None, pictures)
        with self._lock:
            session_id = self._session_ids.get(_digest(before, caller))
        if session_id is not None:
            return LastMessage(message, session_id, pictures)
        replies = [text if role == "assistant" else "" for role, text in (*before[1:], ("", ""))]
        turns = [Turn(text, reply) for (role, text), reply in zip(before, replies, strict=True) if role == "user"]
        return LastMessage(understand(message, turns).question, None, pictures)

    def keep(self, messages: Sequence[dict[str, Any]], reply: str, caller: Principal, session_id: str) -> None:
        """Remember the session of a conversation that `reply` continued."""
        said = [(str(one.get("role")), text_of(one.get("content"))) for one in messages]
        said = [(role, text) for role, text in said if role in ("user", "assistant")]
        with self._lock:
            self._session_ids[_digest([*said, ("assistant", reply)], caller)] = session_id


def pictures_of(content: Any) -> list[str]:
    """Return the addresses of the pictures in a message's content.

    >>> pictures_of([{"type": "text", "text": "Who?"}, {"type": "image_url", "image_url": {"url": "data:…"}}])
    ['data:…']
    """
    parts = [part.get("image_url") for part in content if isinstance(part, dict)] if isinstance(content, list) else []
    return [str(part.get("url") if isinstance(part, dict) else part) for part in parts if part]


def text_of(content: Any) -> str:
    """Return the text of a message's content, a text or a list of parts, as far as it can be encoded.

    >>> text_of([{"type": "text", "text": "Who?"}, {"type": "image_url", "image_url": {}}])
    'Who?'
    """
    if isinstance(content, list):
        content = "\n".join(str(part["text"]) for part in content if isinstance(part, dict) and part.get("text"))
    return without_surrogates(content) if isinstance(content, str) else ""


def _digest(said: Sequence[tuple[str, str]], caller: Principal) -> str:
    stripped = [(role, text.strip()) for role, text in said]
    return text_sha256(json.dumps([caller.org_id, caller.user_id, stripped]))
