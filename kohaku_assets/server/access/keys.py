"""Keys of the server: shown once, stored as a digest, revocable; in the assistant's database."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import insert, select, true, update

from kohaku_assets.server.access.principal import ROLES, Principal, Role
from kohaku_lib.conversation.memory.database import open_database
from kohaku_lib.conversation.memory.tables import KEYS
from kohaku_lib.digests import text_sha256
from kohaku_lib.errors import InputFileError

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement, Engine

PREFIX, RANDOM_BYTES = "kohaku_", 32
USE_NOTED_EVERY = timedelta(minutes=1)
MOMENTS = ("created_at", "last_used_at", "revoked_at", "unconfirmed_since")


@dataclass(frozen=True, slots=True)
class KeyRow:
    """A key without its secret."""

    key_id: str
    name: str
    org_id: str
    role: Role
    created_at: datetime
    last_used_at: datetime | None  # within a minute
    revoked_at: datetime | None
    unconfirmed_since: datetime | None  # a restore turned it off

    @property
    def principal(self) -> Principal:
        """The caller that this key stands for; its name is the user who owns sessions."""
        return Principal(self.org_id, self.role, self.name, self.key_id)


class Keys:
    """The keys in `engine`; what one process adds or revokes holds for the next request of all. Thread-safe."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def add(self, name: str, org_id: str, role: str) -> str:
        """Add a key and return it; it cannot be read again.

        Raises:
            InputFileError: The name is empty, in use or not printable, or the role is unknown.
        """
        if role not in ROLES:
            msg = f"a role is one of {', '.join(ROLES)}, got {role!r}"
            raise InputFileError(msg)
        if not name.strip() or not org_id.strip():
            msg = f"a key needs a name and an organisation, got {name!r} and {org_id!r}"
            raise InputFileError(msg)
        if not (name.isprintable() and org_id.isprintable()):
            msg = f"the name and the organisation of a key are printable, got {name!r} and {org_id!r}"
            raise InputFileError(msg)
        if any(row.name == name and row.org_id == org_id and row.revoked_at is None for row in self.rows()):
            msg = f"{org_id!r} has a key named {name!r}; choose another name, or 'kohaku keys revoke {name}' first"
            raise InputFileError(msg)
        key = PREFIX + secrets.token_urlsafe(RANDOM_BYTES)
        values = {
            "key_id": secrets.token_hex(4),
            "digest": text_sha256(key),
            "name": name,
            "org_id": org_id,
            "role": role,
            "created_at": datetime.now(UTC),
        }
        with self._engine.begin() as connection:
            connection.execute(insert(KEYS).values(values))
        return key

    def rows(self) -> list[KeyRow]:
        """Return all keys, revoked ones too, oldest first."""
        with self._engine.connect() as connection:
            return [_row(row) for row in connection.execute(select(KEYS).order_by(KEYS.c.created_at))]

    def any_ever(self) -> bool:
        """Return whether there ever was a key, revoked ones too."""
        return self._any(true())

    def any_unconfirmed(self) -> bool:
        """Return whether there is a key that would let its caller in once it is confirmed."""
        return self._any(KEYS.c.revoked_at.is_(None) & KEYS.c.unconfirmed_since.is_not(None))

    def any_valid(self) -> bool:
        """Return whether there is a key that lets its caller in."""
        return self._any(KEYS.c.revoked_at.is_(None) & KEYS.c.unconfirmed_since.is_(None))

    def find(self, key: str) -> KeyRow | None:
        """Return the row of a key, revoked or not, and note its use; None if it is unknown."""
        with self._engine.connect() as connection:
            found = connection.execute(select(KEYS).where(KEYS.c.digest == text_sha256(key))).first()
        if found is None:
            return None
        row, now = _row(found), datetime.now(UTC)
        if row.last_used_at is None or now - row.last_used_at > USE_NOTED_EVERY:
            with self._engine.begin() as connection:
                connection.execute(update(KEYS).where(KEYS.c.key_id == row.key_id).values(last_used_at=now))
        return row

    def revoke(self, name: str, org_id: str | None = None) -> list[KeyRow]:
        """Revoke the valid keys of that name or id, of one organisation; return them.

        Raises:
            InputFileError: There is none, or several organisations have one of that name and `org_id` names none of them.
        """
        found = [row for row in self.rows() if row.revoked_at is None and _is_named(row, name, org_id)]
        if not found:
            msg = f"there is no valid key named {name!r}; 'kohaku keys list' shows them"
            raise InputFileError(msg)
        _check_one_owner(found, name)
        self._change(found, revoked_at=datetime.now(UTC))
        return found

    def revoke_id(self, key_id: str, org_id: str) -> bool:
        """Revoke the key of that id if it is of that organisation; return whether there is one, revoked before or not."""
        found = [row for row in self.rows() if (row.key_id, row.org_id) == (key_id, org_id)]
        self._change([row for row in found if row.revoked_at is None], revoked_at=datetime.now(UTC))
        return bool(found)

    def confirm(self, name: str | None, org_id: str | None = None) -> list[KeyRow]:
        """Let in the unconfirmed keys of that name or id, of one organisation, or all if `name` is None; return them.

        Raises:
            InputFileError: There is none, or several organisations have one of that name and `org_id` names none of them.
        """
        found = [
            row
            for row in self.rows()
            if row.unconfirmed_since and row.revoked_at is None and _is_named(row, name, org_id)
        ]
        if not found:
            named = "" if name is None else f" named {name!r}"
            msg = f"there is no unconfirmed key{named}; 'kohaku keys list' shows them"
            raise InputFileError(msg)
        if name is not None:
            _check_one_owner(found, name)
        self._change(found, unconfirmed_since=None)
        return found

    def _change(self, rows: list[KeyRow], **values: datetime | None) -> None:
        ids = [row.key_id for row in rows]
        with self._engine.begin() as connection:
            connection.execute(update(KEYS).where(KEYS.c.key_id.in_(ids)).values(values))

    def _any(self, condition: ColumnElement[bool]) -> bool:
        with self._engine.connect() as connection:
            return connection.execute(select(KEYS.c.key_id).where(condition).limit(1)).first() is not None


@contextmanager
def open_keys(store: Path, database: str | None) -> Iterator[Keys]:
    """Give the keys in the assistant's database of a store, and close it after."""
    engine = open_database(store, database)
    try:
        yield Keys(engine)
    finally:
        engine.dispose()


def _is_named(row: KeyRow, name: str | None, org_id: str | None) -> bool:
    return name in (None, row.name, row.key_id) and org_id in (None, row.org_id)


def _check_one_owner(rows: list[KeyRow], name: str) -> None:
    owners = sorted({row.org_id for row in rows})
    if len(owners) > 1:
        msg = f"several organisations have a key named {name!r}: {', '.join(owners)}; add --org, or give the key's id"
        raise InputFileError(msg)


def _row(row: Any) -> KeyRow:
    moments = {name: _in_utc(getattr(row, name)) for name in MOMENTS}
    own = {name: getattr(row, name) for name in ("key_id", "name", "org_id", "role")}
    return KeyRow(**own, **moments)


def _in_utc(moment: datetime | None) -> Any:
    return moment.replace(tzinfo=UTC) if moment is not None and moment.tzinfo is None else moment  # SQLite forgets it
