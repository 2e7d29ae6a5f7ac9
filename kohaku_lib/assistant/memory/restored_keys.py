"""The keys of a restored store: shut out stays shut out, and what the store in place does not know is off."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy import select, update
from sqlalchemy.exc import DatabaseError

from kohaku_lib.assistant.memory.database import FILE, open_database
from kohaku_lib.assistant.memory.tables import KEYS
from kohaku_lib.errors import StoreError

State = tuple[datetime | None, datetime | None]  # revoked at, unconfirmed since


def settle_restored_keys(in_place: Path, restored: Path) -> list[str]:
    """Bring the keys of a `restored` store to the state of those of the store `in_place`.

    What was revoked after the backup stays revoked; a key that is not known in place is off until it is confirmed. A
    database in place that cannot be read knows none.

    Returns:
        Name and id of each key that is off until it is confirmed, as text.
    """
    if not (restored / FILE).is_file():
        return []
    known, now = _known(in_place), datetime.now(UTC)
    engine = open_database(restored)
    try:
        with engine.begin() as connection:
            columns = (KEYS.c.digest, KEYS.c.revoked_at, KEYS.c.name, KEYS.c.key_id)
            unconfirmed = []
            for digest, revoked_at, name, key_id in connection.execute(select(*columns)).all():
                revoked_now, unconfirmed_since = known.get(digest, (None, now))
                state = {"revoked_at": revoked_now or revoked_at, "unconfirmed_since": unconfirmed_since}
                connection.execute(update(KEYS).where(KEYS.c.digest == digest).values(state))
                if state["revoked_at"] is None and unconfirmed_since is not None:
                    unconfirmed.append(f"{name} ({key_id})")
    finally:
        engine.dispose()
    return unconfirmed


def _known(store: Path) -> dict[str, State]:
    """Return the state of each key of a store by its digest."""
    if not (store / FILE).is_file():
        return {}
    try:
        engine = open_database(store)
    except StoreError:
        return {}
    try:
        with engine.connect() as connection:
            columns = (KEYS.c.digest, KEYS.c.revoked_at, KEYS.c.unconfirmed_since)
            return {
                digest: (revoked, unconfirmed) for digest, revoked, unconfirmed in connection.execute(select(*columns))
            }
    except DatabaseError:
        return {}
    finally:
        engine.dispose()
