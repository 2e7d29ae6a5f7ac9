"""The open assistants, one per tenant: opened on first use, kept, and told apart from a store without an index."""

from __future__ import annotations

import logging
import threading
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass

from cachetools import LRUCache

from kohaku_assets.components.preflight import ANSWERING, check_requirements
from kohaku_assets.pipeline.project import Project
from kohaku_assets.pipeline.run import Run
from kohaku_lib.assistant import Assistant
from kohaku_lib.assistant.memory.stored_sessions import StoredSessions
from kohaku_lib.assistant.organisations import Organisation
from kohaku_lib.composition import overlaid
from kohaku_lib.errors import KohakuError
from kohaku_lib.index import list_snapshots
from kohaku_lib.service.open_index import OpenIndex
from kohaku_lib.service.published_index import fetch_published_index, published_version
from kohaku_lib.service.session import Session
from kohaku_lib.settings import Settings
from kohaku_lib.storage.use import hold_use

MOST_OPEN = 16
_LOGGER = logging.getLogger("kohaku.server")
_NO_INDEX = "there is no index yet; run 'kohaku refresh' first"
_UNREADABLE = "the index cannot be opened; run 'kohaku doctor'"
OPENING_S = 300.0  # of a model that is read for the first time, on a busy machine


@dataclass(frozen=True, slots=True)
class TenantServices:
    """What answers the questions of one tenant."""

    session: Session
    assistant: Assistant

    @property
    def organisation(self) -> Organisation:
        """What the tenant has of its own."""
        return self.assistant.organisation(self._org_id)

    @property
    def sessions(self) -> StoredSessions:
        """The sessions of the tenant."""
        return self.assistant.sessions(self._org_id)

    def reading(self) -> AbstractContextManager[tuple[OpenIndex, Settings]]:
        """Give what answers the tenant's questions over the published index, and its settings now."""
        return self.assistant.reading(self._org_id)

    @property
    def _org_id(self) -> str:
        return self.session.settings.corpus.org_id


class Assistants:
    """The services of the tenants of `project`, with its settings as they are now. Thread-safe.

    The least recently used of more than 16 are dropped.
    """

    def __init__(self, project: Project) -> None:
        self.project = project
        self._end_use = hold_use(self, project.store)
        try:
            fetch_published_index(project.settings)
        except KohakuError as error:  # a server starts without an index
            _LOGGER.warning("no index was fetched: %s", error)
        self._open: LRUCache[str, TenantServices] = LRUCache(MOST_OPEN)
        self._lock = threading.Lock()  # of the table, held for moments
        self._opening = threading.Lock()
        self._threads: list[threading.Thread] = []
        self._logged = ""

    def get(self, org_id: str) -> TenantServices:
        """Return the services of a tenant, opened now if need be.

        Raises:
            StoreError: There is no index yet, or a damaged one.
            SettingsError: A key or a model is missing.
        """
        found = self._known(org_id)
        if found is not None:
            return found
        with self._opening:
            found = self._known(org_id)
            if found is None:
                found = self._opened(org_id)
                with self._lock:
                    self._open[org_id] = found
        return found

    def open_soon(self, org_id: str) -> None:
        """Begin to open the services of a tenant in a thread; what fails, the next one who needs them meets."""

        def work() -> None:
            with suppress(Exception):
                self.get(org_id)

        thread = threading.Thread(target=work, name="kohaku-opening", daemon=True)
        with self._lock:
            self._threads = [one for one in self._threads if one.is_alive()] + [thread]
        thread.start()

    def change(self, project: Project) -> None:
        """Answer the next questions by `project`, with settings that were changed; those under way end by the old ones."""
        with self._opening, self._lock:  # what is being opened by the old settings is dropped, too
            self.project = project
            self._open.clear()
        self.open_soon(project.settings.corpus.org_id)

    def readiness(self, org_id: str) -> str | None:
        """Return None if the tenant's questions can be answered, else what is missing; an index is then opened soon.

        As anybody may ask, no path is named; the log has it.
        """
        if self._known(org_id) is not None:
            return None
        if self._opening.locked():
            return "opening the index"
        try:
            published_version(self.project.store)
        except KohakuError as error:
            self._log_once(str(error))
            return _UNREADABLE if list_snapshots(self.project.snapshots) else _NO_INDEX
        self.open_soon(org_id)
        return "opening the index"

    def follow(self) -> None:
        """Open the published index for every open tenant, so that no later question is answered from the one before."""
        with self._lock:
            opened = list(self._open.values())
        for services in opened:
            try:
                services.assistant.follow()
            except KohakuError as error:  # the next question meets it
                _LOGGER.warning("the published index was not opened: %s", error)

    def cache_counts(self) -> dict[str, int]:
        """Return the lookups of the semantic caches by result."""
        with self._lock:
            counts = [services.assistant.cache_counts for services in self._open.values()]
        return {name: sum(getattr(one, name) for one in counts) for name in ("exact", "semantic", "misses")}

    def close(self) -> None:
        """Close the databases of all, after what is being opened: its libraries must not be ended halfway."""
        for thread in list(self._threads):
            thread.join(OPENING_S)
        with self._lock:
            for services in self._open.values():
                services.assistant.close()
            self._open.clear()
        self._end_use()

    def _log_once(self, message: str) -> None:
        with self._lock:
            is_new, self._logged = message != self._logged, message
        if is_new:
            _LOGGER.warning("not ready: %s", message)

    def _known(self, org_id: str) -> TenantServices | None:
        with self._lock:
            return self._open.get(org_id)

    def _opened(self, org_id: str) -> TenantServices:
        run = Run(self.project)
        check_requirements(run, ANSWERING[:2])
        session = run.session
        if org_id != self.project.settings.corpus.org_id:
            session = session.overlaid(overlaid(session.settings, {"corpus.org_id": org_id}))
        return TenantServices(session, Assistant(session))
