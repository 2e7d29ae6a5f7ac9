"""The sessions of a tenant in the assistant's database: listed, read and deleted."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import and_, delete, func, insert, select

from kohaku_lib.conversation.memory.tables import MESSAGES, SERVED, SESSIONS

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement, Engine

MOST_LISTED, MOST_MESSAGES = 200, 1000
TITLE_CHARS = 80


@dataclass(frozen=True, slots=True)
class StoredSession:
    """A session: its first message as title, and when it began and went on last."""

    session_id: str
    title: str
    messages: int
    created_at: datetime
    last_at: datetime


@dataclass(frozen=True, slots=True)
class StoredMessage:
    """A message of a session; `role` is user or assistant, `answer_id` that of the answer it asks for or is.

    `sources` are those of an answer as `ServedQuestions` records them, `answer` is its outcome and form; None where no document
    was asked or an earlier version recorded it. `confidence_score` is that of an answer; None where it is not recorded.
    """

    answer_id: str
    role: str
    content: str
    is_answer: bool
    created_at: datetime
    sources: tuple[dict[str, Any], ...] = ()
    answer: dict[str, Any] | None = None
    confidence_score: float | None = None


class StoredSessions:
    """The sessions of the tenant `org_id` in `engine`; `forget` drops one from memory. Thread-safe."""

    def __init__(self, engine: Engine, org_id: str, forget: Callable[[str], None]) -> None:
        self._engine, self._org_id, self._forget = engine, org_id, forget

    def begin(self, user_id: str | None) -> str:
        """Record a new session of a user and return its id; it is listed from its first message on."""
        session_id = uuid.uuid4().hex
        values = {"session_id": session_id, "org_id": self._org_id, "user_id": user_id, "created_at": datetime.now(UTC)}
        with self._engine.begin() as connection:
            connection.execute(insert(SESSIONS).values(values))
        return session_id

    def is_of(self, session_id: str, user_id: str | None) -> bool:
        """Return whether a session belongs to a user of the tenant."""
        own = select(SESSIONS.c.session_id).where(_has_id(session_id), self._is_own(user_id))
        with self._engine.connect() as connection:
            return connection.execute(own).first() is not None

    def of(self, user_id: str | None, words: str = "") -> list[StoredSession]:
        """Return the sessions of a user that hold a message, the newest first, at most 200; with `words` those that say them."""
        last = func.max(MESSAGES.c.message_id).label("last")
        grouped = (
            select(
                SESSIONS.c.session_id,
                SESSIONS.c.created_at,
                func.min(MESSAGES.c.message_id).label("first"),
                func.count().label("messages"),
                func.max(MESSAGES.c.created_at).label("last_at"),
            )
            .join(MESSAGES, MESSAGES.c.session_id == SESSIONS.c.session_id)
            .where(self._is_own(user_id), *self._says(words))
            .group_by(SESSIONS.c.session_id, SESSIONS.c.created_at)
            .order_by(last.desc())
            .limit(MOST_LISTED)
        )
        with self._engine.connect() as connection:
            rows = connection.execute(grouped).all()
            firsts = select(MESSAGES.c.message_id, MESSAGES.c.content).where(
                MESSAGES.c.message_id.in_([row.first for row in rows])
            )
            titles = {row.message_id: row.content for row in connection.execute(firsts)}
        return [
            StoredSession(
                row.session_id,
                " ".join(titles[row.first].split())[:TITLE_CHARS],
                row.messages,
                _in_utc(row.created_at),
                _in_utc(row.last_at),
            )
            for row in rows
        ]

    def messages(self, session_id: str, user_id: str | None) -> list[StoredMessage] | None:
        """Return the newest 1,000 messages of a session, oldest first; None if the user has no such session."""
        if not self.is_of(session_id, user_id):
            return None
        columns = [MESSAGES.c[name] for name in ("answer_id", "role", "content", "is_answer", "created_at")]
        joined = MESSAGES.outerjoin(SERVED, SERVED.c.answer_id == MESSAGES.c.answer_id)
        recorded = (SERVED.c.sources_json, SERVED.c.answer_json, SERVED.c.confidence)
        wanted = select(*columns, *recorded).select_from(joined).where(MESSAGES.c.session_id == session_id)
        with self._engine.connect() as connection:
            rows = connection.execute(wanted.order_by(MESSAGES.c.message_id.desc()).limit(MOST_MESSAGES)).all()
        return [
            StoredMessage(
                row.answer_id,
                row.role,
                row.content,
                row.is_answer,
                _in_utc(row.created_at),
                tuple(json.loads(row.sources_json)) if row.role == "assistant" and row.sources_json else (),
                json.loads(row.answer_json) if row.role == "assistant" and row.answer_json else None,
                row.confidence if row.role == "assistant" else None,
            )
            for row in reversed(rows)
        ]

    @staticmethod
    def _says(words: str) -> list[ColumnElement[bool]]:
        """Return the conditions that a message of the session holds each of the words, in any case."""
        own = select(MESSAGES.c.session_id)
        return [
            SESSIONS.c.session_id.in_(own.where(MESSAGES.c.content.icontains(word, autoescape=True)))
            for word in words.split()
        ]

    def delete(self, session_id: str, user_id: str | None) -> bool:
        """Delete a session with its messages; return whether the user had it. The served questions stay."""
        if not self.is_of(session_id, user_id):
            return False
        with self._engine.begin() as connection:
            connection.execute(delete(MESSAGES).where(MESSAGES.c.session_id == session_id))
            connection.execute(delete(SESSIONS).where(_has_id(session_id)))
        self._forget(session_id)
        return True

    def _is_own(self, user_id: str | None) -> ColumnElement[bool]:
        return and_(SESSIONS.c.org_id == self._org_id, SESSIONS.c.user_id == user_id)


def _has_id(session_id: str) -> ColumnElement[bool]:
    return SESSIONS.c.session_id == session_id


def _in_utc(moment: datetime) -> datetime:
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment  # SQLite forgets the zone
