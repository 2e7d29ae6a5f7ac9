"""Makes Dagster's history in SQLite cheap to write while a run lasts."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any


@contextmanager
def quick_history() -> Iterator[None]:
    """Spare Dagster's SQLite files a wait for the disk at each of the hundreds of small changes that a run makes.

    Dagster opens and closes a connection for every event; the last one to close moves the write-ahead log into the
    database and waits for the disk twice. One connection per file is held open here, so that this happens once, and
    commits do not wait either: files stay sound, a power cut may lose the last events. The manifests of the store, not
    this history, say what is done. Databases of another kind are left alone.
    """
    from sqlalchemy import event
    from sqlalchemy.pool import Pool

    held: dict[str, sqlite3.Connection] = {}

    def tune(connection: Any, _record: Any) -> None:
        if not isinstance(connection, sqlite3.Connection):
            return
        connection.execute("PRAGMA synchronous = NORMAL")
        path = connection.execute("PRAGMA database_list").fetchone()[2]
        if path:
            keeper = held.get(path) or held.setdefault(path, _keeper(path))
            with suppress(sqlite3.OperationalError):  # locked: the log is open elsewhere, and the next one comes here
                keeper.execute("SELECT count(*) FROM sqlite_master").fetchone()  # reading is what opens the log

    event.listen(Pool, "connect", tune)
    try:
        yield
    finally:
        event.remove(Pool, "connect", tune)
        for connection in held.values():
            connection.close()


def _keeper(path: str) -> sqlite3.Connection:
    return sqlite3.connect(path, check_same_thread=False, timeout=0)
