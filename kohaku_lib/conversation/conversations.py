"""The conversations that are kept in memory, backed by the database that all processes share."""

from __future__ import annotations

import logging
import threading
import uuid
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from cachetools import LRUCache
from sqlalchemy.exc import SQLAlchemyError

from kohaku_lib.answering.cited.dialogue import Turn
from kohaku_lib.conversation.memory.message_store import Message, MessageStore, Owner
from kohaku_lib.conversation.request import RequestError

_LOG = logging.getLogger("kohaku")
Result = TypeVar("Result")


@dataclass(eq=False)
class Conversation:
    """One session: its owner and its turns, oldest first. One message at a time holds its `lock`."""

    session_id: str
    owner: Owner
    turns: list[Turn] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)
    last_id: int = 0  # of the newest message that was read from the database
    own_ids: set[int] = field(default_factory=set)  # of messages that this process added after it
    open_messages: dict[str, Message] = field(default_factory=dict)  # of users, not answered yet, by answer id
    settings: dict[str, Any] = field(default_factory=dict)  # values chosen for its questions, by key
    is_new: bool = False  # it is not in the database yet, and nobody knows its id


class Conversations:
    """Up to `most` conversations in memory with up to `turns` turns each; the others are read from `store` again.

    A database that fails costs the memory of other processes and restarts, not the conversation: the fault is logged.
    """

    def __init__(self, store: MessageStore, most: int, turns: int) -> None:
        self._store, self._turns = store, turns
        self._open: LRUCache[str, Conversation] = LRUCache(most)
        self._lock = threading.Lock()

    def get(self, session_id: str | None, owner: Owner) -> Conversation:
        """Return the conversation of a session; a new one without an id or for an unknown id.

        Raises:
            RequestError: The session belongs to another user or tenant.
        """
        if session_id is None:
            return self._begin(owner)
        with self._lock:
            found = self._open.get(session_id)
        if found is None:
            first = or_logged(lambda: self._store.owner(session_id) or self._store.begin(session_id, owner), owner)
            with self._lock:
                found = self._open.setdefault(session_id, Conversation(session_id, first))
        if found.owner != owner:
            msg = f"the session {session_id!r} belongs to another user; leave session_id out to begin one"
            raise RequestError(msg)
        return found

    def _begin(self, owner: Owner) -> Conversation:
        begun = Conversation(uuid.uuid4().hex, owner, is_new=True)
        with self._lock:
            self._open[begun.session_id] = begun
        return begun

    def refresh(self, conversation: Conversation) -> None:
        """Take in what other processes, or this one before, added to a conversation; the caller holds its lock."""
        if conversation.is_new:
            return
        most = 2 * self._turns
        conversation.settings = or_logged(lambda: self._store.settings(conversation.session_id), conversation.settings)
        new = or_logged(lambda: self._store.messages(conversation.session_id, conversation.last_id, most), [])
        self._take(conversation, [message for message in new if message.message_id not in conversation.own_ids])
        if new:
            conversation.last_id = new[-1].message_id or conversation.last_id
            conversation.own_ids = {one for one in conversation.own_ids if one > conversation.last_id}

    def add(self, conversation: Conversation, message: Message) -> None:
        """Append a message, durable on return; the caller holds the conversation's lock."""
        begun_by = conversation.owner if conversation.is_new else None
        message_id = or_logged(lambda: self._store.add(conversation.session_id, message, begun_by), 0)
        conversation.is_new = conversation.is_new and not message_id
        self._take(conversation, [message])
        conversation.own_ids.add(message_id)

    def choose_settings(self, conversation: Conversation, values: Mapping[str, Any]) -> None:
        """Keep values of settings for the questions of a conversation; the caller holds its lock."""
        self._store.choose_settings(conversation.session_id, values)
        conversation.settings = dict(values)

    def forget(self, session_id: str) -> None:
        """Drop a session from memory; it is deleted from the database by `StoredSessions`."""
        with self._lock:
            self._open.pop(session_id, None)

    def _take(self, conversation: Conversation, messages: Iterable[Message]) -> None:
        """Make turns of questions with their answers; a question without one yet waits for it."""
        for message in messages:
            if message.role == "user":
                conversation.open_messages[message.answer_id] = message
            elif conversation.open_messages.pop(message.answer_id, None) is not None:
                conversation.turns.append(Turn(message.question, message.content if message.is_answer else ""))
        del conversation.turns[: -self._turns]
        for unanswered in list(conversation.open_messages)[: -self._turns]:
            del conversation.open_messages[unanswered]


def or_logged(work: Callable[[], Result], otherwise: Result) -> Result:
    """Return the result of `work`; `otherwise` where the database fails, which is logged."""
    try:
        return work()
    except SQLAlchemyError as error:
        _LOG.warning("the assistant's database failed: %s", str(error).partition("\n")[0])
        return otherwise
