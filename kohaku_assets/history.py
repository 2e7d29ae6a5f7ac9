"""Makes Dagster's history in SQLite cheap to write while a run lasts, and says what is wrong with it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from kohaku_lib.lean_imports import without


@contextmanager
def quick_history() -> Iterator[None]:
    """Spare Dagster's SQLite files a wait for the disk at each of the hundreds of small changes that a run makes.

    Dagster opens and closes a connection for every event; the last one to close moves the write-ahead log into the
    database and waits for the disk twice. One connection per file is held open here, so that this happens once, and
    commits do not wait either: files stay sound, a power cut may lose the last events. The manifests of the store, not
    this history, say what is done. Databases of another kind are left alone. It also makes an engine for every event,
    which compiles each statement anew; here it gets the same one for the same database.
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
            if Path(path).stat().st_size == 0:  # Dagster does the same, but after it has made its tables
                connection.execute("PRAGMA journal_mode = WAL")
            keeper = held.get(path) or held.setdefault(path, _keeper(path))
            with suppress(sqlite3.OperationalError):  # locked: the log is open elsewhere, and the next one comes here
                keeper.execute("SELECT count(*) FROM sqlite_master").fetchone()  # reading is what opens the log

    event.listen(Pool, "connect", tune)
    try:
        with _lasting_engines():
            yield
    finally:
        event.remove(Pool, "connect", tune)
        for connection in held.values():
            connection.close()


def history_fault(error: BaseException, home: str) -> str | None:
    """Return one sentence where `error` says that Dagster cannot read or write its folder `home`, None for others."""
    from sqlalchemy.exc import DBAPIError

    cause: BaseException | None = error
    while cause is not None:
        is_within = isinstance(cause, OSError) and str(cause.filename or "").startswith(home)
        if is_within or isinstance(cause, DBAPIError):
            reason = cause.orig if isinstance(cause, DBAPIError) else cause
            return (
                f"Dagster cannot keep its history in {home!r} ({reason}); what was finished is kept: run 'kohaku refresh' "
                f"again, and 'kohaku doctor' where this stays"
            )
        cause = cause.__cause__ or cause.__context__
    return None


@contextmanager
def _lasting_engines() -> Iterator[None]:
    """Let Dagster's SQLite storages, where they make engines as we know it, make one for each database."""
    from sqlalchemy import create_engine

    engines: dict[str, Any] = {}

    def lasting_engine(url: str, **options: Any) -> Any:
        if url not in engines:
            engines[url] = create_engine(url, **options)
        return engines[url]

    makers = [one for one in _storages() if getattr(one, "create_engine", None) is create_engine]
    for module in makers:
        module.create_engine = lasting_engine  # pyright: ignore[reportAttributeAccessIssue]
    try:
        yield
    finally:
        for module in makers:
            module.create_engine = create_engine  # pyright: ignore[reportAttributeAccessIssue]


def _storages() -> list[ModuleType]:
    """The private modules of Dagster that make engines for SQLite, those that this version of it has."""
    found: list[ModuleType] = []
    for name in ("event_log.sqlite.sqlite_event_log", "runs.sqlite.sqlite_run_storage"):
        # Pygments would only colour the tracebacks of templates that make migrations.
        with suppress(ImportError), without("pygments"):
            found.append(import_module(f"dagster._core.storage.{name}"))
    return found


def _keeper(path: str) -> sqlite3.Connection:
    return sqlite3.connect(path, check_same_thread=False, timeout=0)
