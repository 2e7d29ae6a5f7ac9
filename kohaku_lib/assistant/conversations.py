"""The conversations that are kept in memory, the least recently used ones being forgotten."""

from __future__ import annotations

import threading
import uuid
from dataclasses import dataclass, field

from cachetools import LRUCache

from kohaku_lib.assistant.follow_ups import Turn
from kohaku_lib.assistant.request import RequestError


@dataclass(eq=False)
class Conversation:
    """One session: its owner and its turns, oldest first. One message at a time holds its `lock`."""

    session_id: str
    user_id: str | None
    turns: list[Turn] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)


class Conversations:
    """Up to `most` conversations with up to `turns` turns each. Thread-safe.

    >>> talks = Conversations(most=2, turns=15)
    >>> talk = talks.get(None, "ann")
    >>> talks.get(talk.session_id, "ann") is talk
    True
    """

    def __init__(self, most: int, turns: int) -> None:
        self._turns = turns
        self._open: LRUCache[str, Conversation] = LRUCache(most)
        self._lock = threading.Lock()

    def get(self, session_id: str | None, user_id: str | None) -> Conversation:
        """Return the conversation of a session; a new one without an id or for an unknown id.

        Raises:
            RequestError: The session belongs to another user.
        """
        session_id = session_id or uuid.uuid4().hex
        with self._lock:
            found = self._open.get(session_id)
            if found is None:
                found = self._open[session_id] = Conversation(session_id, user_id)
        if found.user_id != user_id:
            msg = f"the session {session_id!r} belongs to another user; leave session_id out to begin one"
            raise RequestError(msg)
        return found

    def add(self, conversation: Conversation, turn: Turn) -> None:
        """Append a finished turn, and forget the oldest beyond the limit."""
        conversation.turns.append(turn)
        del conversation.turns[: -self._turns]
