"""The keys of a restored store: shut out stays shut out, and what only one of the two stores knows is off."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, insert, select, update
from sqlalchemy.exc import DatabaseError

from kohaku_lib.conversation.memory.database import open_database
from kohaku_lib.conversation.memory.tables import KEYS
from kohaku_lib.errors import StoreError
from kohaku_lib.storage import StorePaths


def settle_restored_keys(in_place: Path, restored: Path) -> list[str]:
    """Bring the keys of a `restored` store to the state of those of the store `in_place`.

    What was revoked after the backup stays revoked. A key that only one of the two knows is off until it is confirmed, and
    is kept: a store that had keys never becomes one without. A database in place that cannot be read knows none.

    Returns:
        Name and id of each key that is off until it is confirmed, as text.
    """
    known, now = _rows_in(in_place), datetime.now(UTC)
    if not known and not StorePaths(restored).assistant.is_file():
        return []
    engine = open_database(restored)
    try:
        with engine.begin() as connection:
            settled = {row["digest"]: row for row in _rows(connection)}
            for digest, row in list(settled.items()):
                own = known.get(digest)
                state = {
                    "revoked_at": (own["revoked_at"] if own else None) or row["revoked_at"],
                    "unconfirmed_since": own["unconfirmed_since"] if own else now,
                }
                connection.execute(update(KEYS).where(KEYS.c.digest == digest).values(state))
                settled[digest] = row | state
            added = [
                row | {"unconfirmed_since": row["unconfirmed_since"] or now}
                for digest, row in known.items()
                if digest not in settled
            ]
            if added:
                connection.execute(insert(KEYS), added)
    finally:
        engine.dispose()
    return [
        f"{row['name']} ({row['key_id']})"
        for row in (*settled.values(), *added)
        if row["revoked_at"] is None and row["unconfirmed_since"] is not None
    ]


def _rows_in(store: Path) -> dict[str, dict[str, Any]]:
    """Return the keys of a store by digest."""
    if not StorePaths(store).assistant.is_file():
        return {}
    try:
        engine = open_database(store)
    except StoreError:
        return {}
    try:
        with engine.connect() as connection:
            return {row["digest"]: row for row in _rows(connection)}
    except DatabaseError:
        return {}
    finally:
        engine.dispose()


def _rows(connection: Connection) -> list[dict[str, Any]]:
    return [dict(row) for row in connection.execute(select(KEYS)).mappings()]
