"""The messages of all sessions in the assistant's database."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import insert, select, update
from sqlalchemy.exc import IntegrityError

from kohaku_lib.conversation.memory.tables import MESSAGES, SESSIONS

if TYPE_CHECKING:
    from sqlalchemy import Engine, Insert


@dataclass(frozen=True, slots=True)
class Owner:
    """Who may read a session: a tenant, and within it a user (None: nobody in particular)."""

    org_id: str
    user_id: str | None = None


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a session, by the user or the assistant; `message_id` is None before it is stored."""

    answer_id: str
    role: str
    content: str
    question: str
    is_answer: bool = False
    message_id: int | None = None


class MessageStore:
    """Sessions and messages in `engine`; a message is durable when `add` returns. Thread-safe, for several processes."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def owner(self, session_id: str) -> Owner | None:
        """Return the owner of a session; None if there is none of that id."""
        with self._engine.connect() as connection:
            row = connection.execute(
                select(SESSIONS.c.org_id, SESSIONS.c.user_id).where(SESSIONS.c.session_id == session_id)
            ).first()
        return None if row is None else Owner(row.org_id, row.user_id)

    def begin(self, session_id: str, owner: Owner) -> Owner:
        """Record a new session and return its owner: that of the process that was first."""
        try:
            with self._engine.begin() as connection:
                connection.execute(_begun(session_id, owner))
        except IntegrityError:  # another process began it
            return self.owner(session_id) or owner
        return owner

    def settings(self, session_id: str) -> dict[str, Any]:
        """Return the values of settings that were chosen for a session, by key."""
        wanted = select(SESSIONS.c.settings_json).where(SESSIONS.c.session_id == session_id)
        with self._engine.connect() as connection:
            kept = connection.execute(wanted).scalar()
        return json.loads(kept) if kept else {}

    def choose_settings(self, session_id: str, values: Mapping[str, Any]) -> None:
        """Keep the values of settings for the questions of a session, in the place of those before."""
        changed = update(SESSIONS).where(SESSIONS.c.session_id == session_id)
        with self._engine.begin() as connection:
            connection.execute(changed.values(settings_json=json.dumps(dict(values))))

    def add(self, session_id: str, message: Message, begun_by: Owner | None = None) -> int:
        """Append a message and return its id, which grows within a session; `begun_by` owns the session that it begins."""
        names = ("answer_id", "role", "content", "question", "is_answer")
        values = {name: getattr(message, name) for name in names}
        with self._engine.begin() as connection:
            if begun_by is not None:
                connection.execute(_begun(session_id, begun_by))
            done = connection.execute(
                insert(MESSAGES).values(session_id=session_id, created_at=datetime.now(UTC), **values)
            )
        key = done.inserted_primary_key
        assert key is not None
        return int(key[0])

    def messages(self, session_id: str, after: int = 0, most: int = 1000) -> list[Message]:
        """Return the newest `most` messages of a session after the one with the id `after`, oldest first."""
        columns = [MESSAGES.c[name] for name in ("answer_id", "role", "content", "question", "is_answer", "message_id")]
        wanted = select(*columns).where(MESSAGES.c.session_id == session_id, MESSAGES.c.message_id > after)
        with self._engine.connect() as connection:
            rows = connection.execute(wanted.order_by(MESSAGES.c.message_id.desc()).limit(most)).all()
        return [Message(*row) for row in reversed(rows)]


def _begun(session_id: str, owner: Owner) -> Insert:
    values = {"session_id": session_id, "org_id": owner.org_id, "user_id": owner.user_id}
    return insert(SESSIONS).values(**values, created_at=datetime.now(UTC))
