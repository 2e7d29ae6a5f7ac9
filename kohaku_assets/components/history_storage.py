"""Dagster's history in SQLite with persistent connections; dagster.yaml names this class under storage.custom.

Dagster's built-in storage creates an engine and a connection per event. When the last connection closes, SQLite
checkpoints the write-ahead log and syncs twice, at each of the hundreds of small changes of a run. The file format is
the same, so a project can switch between the two storages.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from dagster import StringSource
from dagster._config.config_schema import UserConfigSchema
from dagster._core.instance import DagsterInstance
from dagster._core.storage.base_storage import DagsterStorage
from dagster._core.storage.event_log import SqliteEventLogStorage
from dagster._core.storage.runs import SqliteRunStorage
from dagster._core.storage.schedules import SqliteScheduleStorage
from dagster._serdes import ConfigurableClass, ConfigurableClassData
from sqlalchemy import Connection, Engine, create_engine, event

MAX_OPEN = 8  # databases; Dagster has one per run
BUSY_TIMEOUT_S = 30.0  # how long a connection waits for another writer


class SqliteHistory(DagsterStorage, ConfigurableClass):
    """The storage of runs, events and schedules in the folder `base_dir`, in Dagster's default layout."""

    def __init__(self, base_dir: str, inst_data: ConfigurableClassData | None = None) -> None:
        self._inst_data = inst_data
        base = Path(base_dir).expanduser()
        self._runs = _Runs.from_local(str(base / "history"))
        self._events = _Events(str(base / "history" / "runs"))
        self._schedules = SqliteScheduleStorage.from_local(str(base / "schedules"))
        super().__init__()

    @property
    def inst_data(self) -> ConfigurableClassData | None:
        """The data from which Dagster recreates this storage in another process."""
        return self._inst_data

    @classmethod
    def config_type(cls) -> UserConfigSchema:
        """Return the schema of storage.custom.config."""
        return {"base_dir": StringSource}

    @classmethod
    def from_config_value(cls, inst_data: ConfigurableClassData | None, config_value: Any) -> SqliteHistory:
        """Return the storage that dagster.yaml describes."""
        return cls(config_value["base_dir"], inst_data)

    @property
    def event_log_storage(self) -> SqliteEventLogStorage:
        """The events of all runs."""
        return self._events

    @property
    def run_storage(self) -> SqliteRunStorage:
        """The runs."""
        return self._runs

    @property
    def schedule_storage(self) -> SqliteScheduleStorage:
        """The ticks of schedules and sensors."""
        return self._schedules

    def register_instance(self, instance: DagsterInstance) -> None:
        """Register the instance with the three storages."""
        super().register_instance(instance)
        for part in (self._runs, self._events, self._schedules):
            if not part.has_instance:
                part.register_instance(instance)

    def dispose(self) -> None:
        """Close every connection."""
        for part in (self._events, self._runs, self._schedules):
            part.dispose()


class _Engines:
    """An LRU cache of database engines, whose connections stay open between uses."""

    def __init__(self) -> None:
        self._engines: OrderedDict[str, Engine] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, url: str) -> Engine:
        with self._lock:
            engine = self._engines.pop(url, None)
            if engine is not None and not Path(str(engine.url.database)).exists():  # the file was deleted
                engine.dispose()
                engine = None
            self._engines[url] = engine or _engine(url)
            while len(self._engines) > MAX_OPEN:
                self._engines.popitem(last=False)[1].dispose()
            return self._engines[url]

    def dispose(self) -> None:
        with self._lock:
            while self._engines:
                self._engines.popitem()[1].dispose()


class _Runs(SqliteRunStorage):
    def __init__(self, conn_string: str, inst_data: ConfigurableClassData | None = None) -> None:
        super().__init__(conn_string, inst_data)
        self._url, self._engines = conn_string, _Engines()

    @contextmanager
    def connect(self) -> Iterator[Connection]:
        with self._engines.get(self._url).begin() as connection:
            yield connection

    def dispose(self) -> None:
        self._engines.dispose()
        super().dispose()


class _Events(SqliteEventLogStorage):
    def __init__(self, base_dir: str, inst_data: ConfigurableClassData | None = None) -> None:
        self._engines, self._ready = _Engines(), set[str]()
        self._using = threading.Lock()
        super().__init__(base_dir, inst_data)

    @contextmanager
    def _connect(self, shard: str) -> Iterator[Connection]:
        with self._using:
            engine = self._engines.get(self.conn_string_for_shard(shard))
            if shard not in self._ready:
                self._initdb(engine)
                self._ready.add(shard)
            with engine.begin() as connection:
                yield connection

    def upgrade(self) -> None:
        super().upgrade()
        self._ready.clear()

    def dispose(self) -> None:
        self._engines.dispose()
        super().dispose()


def _engine(url: str) -> Engine:
    engine = create_engine(url, connect_args={"timeout": BUSY_TIMEOUT_S}, pool_use_lifo=True)

    @event.listens_for(engine, "connect")
    def tune(connection: Any, _record: Any) -> None:
        # NORMAL keeps the files consistent without a sync per commit; a power cut may lose the last events. What is
        # finished is determined by the manifests of the store, not by this history.
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")

    return engine
