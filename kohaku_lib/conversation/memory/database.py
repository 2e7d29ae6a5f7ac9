"""The assistant's database: SQLite in the store, or any other by its URL, brought to the newest form when it is opened."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from kohaku_lib.errors import StoreError
from kohaku_lib.masking import shown_url
from kohaku_lib.storage.lock import awaited_lock
from kohaku_lib.storage.store_paths import StorePaths
from kohaku_lib.storage.use import hold_use

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine

BUSY_S = 10  # that a writer waits for another one
_MIGRATIONS = Path(__file__).parent / "migrations"


def open_database(store: Path, url: str | None = None) -> Engine:
    """Return the database at `url`, by default a file in `store`, with its tables.

    SQLite keeps a write-ahead log, so that readers and one writer do not wait for each other. Until it is disposed of, no
    backup is restored into the store.

    Raises:
        StoreError: It cannot be opened, an index of a later version of Kohaku wrote it, or a backup is being restored.
    """
    from sqlalchemy import create_engine, event
    from sqlalchemy.exc import SQLAlchemyError

    paths = StorePaths(store)
    address = url or f"sqlite:///{paths.assistant}"
    try:
        engine = create_engine(
            address, **({"connect_args": {"timeout": BUSY_S}} if address.startswith("sqlite") else {})
        )
        if engine.dialect.name == "sqlite":
            event.listen(engine, "connect", _prepare_sqlite)
        end_use = hold_use(engine, store)
        event.listen(engine, "engine_disposed", lambda _: end_use())
        with (
            awaited_lock(paths.assistant_lock, "bringing the assistant's database up to date"),
            engine.begin() as connection,
        ):
            _migrate(connection)
    except (SQLAlchemyError, ImportError, OSError) as error:
        reason = str(error).partition("\n")[0]
        msg = f"the assistant's database {shown_url(address)} cannot be opened ({reason}); set assistant.database"
        raise StoreError(msg) from error
    return engine


def _prepare_sqlite(connection: Any, record: Any) -> None:
    cursor = connection.cursor()
    for pragma in ("journal_mode = WAL", "synchronous = NORMAL", "foreign_keys = ON"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _migrate(connection: Connection) -> None:
    """Apply the migrations that the database lacks."""
    from alembic.config import Config
    from alembic.runtime.environment import EnvironmentContext
    from alembic.script import ScriptDirectory
    from alembic.util import CommandError

    config = Config()
    config.set_main_option("script_location", str(_MIGRATIONS).replace("%", "%%"))
    script = ScriptDirectory.from_config(config)

    def upgrade(revision: Any, context: Any) -> Any:
        return script._upgrade_revs("head", revision)  # as alembic.command.upgrade does

    try:
        with EnvironmentContext(config, script, fn=upgrade, destination_rev="head") as environment:
            environment.configure(connection=connection)
            environment.run_migrations()
    except CommandError as error:
        msg = f"the assistant's database was written by a later version of Kohaku ({error}); update Kohaku"
        raise StoreError(msg) from error
