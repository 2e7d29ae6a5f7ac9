"""The open assistant of a server, which all tenants share: opened on first use, kept, told apart from a store without index."""

from __future__ import annotations

import logging
import threading
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from typing import Literal

from kohaku_assets.components.preflight import ANSWERING, check_requirements
from kohaku_assets.pipeline.project import Project
from kohaku_assets.pipeline.run import Run
from kohaku_lib.conversation import Assistant
from kohaku_lib.conversation.memory.stored_sessions import StoredSessions
from kohaku_lib.conversation.organisations import Organisation
from kohaku_lib.errors import KohakuError
from kohaku_lib.index import list_snapshots
from kohaku_lib.project.open_index import OpenIndex
from kohaku_lib.project.published_index import fetch_published_index, published_version
from kohaku_lib.settings import Settings
from kohaku_lib.storage.use import hold_use

_LOGGER = logging.getLogger("kohaku.server")
Missing = Literal["opening", "no_index", "unreadable"]
MISSING: dict[Missing, str] = {
    "opening": "opening the index",
    "no_index": "there is no index yet; run 'kohaku refresh' first",
    "unreadable": "the index cannot be opened; run 'kohaku doctor'",
}
OPENING_S = 300.0  # of a model that is read for the first time, on a busy machine


@dataclass(frozen=True, slots=True)
class TenantServices:
    """What answers the questions of one tenant: the assistant, for its documents alone."""

    assistant: Assistant
    org_id: str

    @property
    def organisation(self) -> Organisation:
        """What the tenant has of its own."""
        return self.assistant.organisation(self.org_id)

    @property
    def sessions(self) -> StoredSessions:
        """The sessions of the tenant."""
        return self.assistant.sessions(self.org_id)

    def reading(self) -> AbstractContextManager[tuple[OpenIndex, Settings]]:
        """Give what answers the tenant's questions over the published index, and its settings now."""
        return self.assistant.reading(self.org_id)


class Assistants:
    """The services of the tenants of `project`, with its settings as they are now. Thread-safe.

    The index is open once, however many tenants ask.
    """

    def __init__(self, project: Project) -> None:
        self.project = project
        self._end_use = hold_use(self, project.store)
        try:
            fetch_published_index(project.settings)
        except KohakuError as error:  # a server starts without an index
            _LOGGER.warning("no index was fetched: %s", error)
        self._open: Assistant | None = None
        self._lock = threading.Lock()  # of what is open, held for moments
        self._opening = threading.Lock()
        self._threads: list[threading.Thread] = []
        self._logged = ""

    def get(self, org_id: str) -> TenantServices:
        """Return the services of a tenant, whose caller is known to be one; they are opened now if need be.

        Raises:
            StoreError: There is no index yet, or a damaged one.
            SettingsError: A key or a model is missing.
        """
        return TenantServices(self._opened(), org_id)

    def open_soon(self) -> None:
        """Begin to open the assistant in a thread; what fails, the next one who needs it meets."""

        def work() -> None:
            with suppress(Exception):
                self._opened()

        thread = threading.Thread(target=work, name="kohaku-opening", daemon=True)
        with self._lock:
            self._threads = [one for one in self._threads if one.is_alive()] + [thread]
        thread.start()

    def change(self, project: Project) -> None:
        """Answer the next questions by `project`, with settings that were changed; those under way end by the old ones."""
        with self._opening, self._lock:  # what is being opened by the old settings is dropped, too
            self.project = project
            self._open = None
        self.open_soon()

    def missing(self) -> Missing | None:
        """Return None if questions can be answered, else what is missing; an index is then opened soon.

        The log names the path of an index that cannot be opened.
        """
        if self._known() is not None:
            return None
        if self._opening.locked():
            return "opening"
        try:
            published_version(self.project.store)
        except KohakuError as error:
            self._log_once(str(error))
            return "unreadable" if list_snapshots(self.project.snapshots) else "no_index"
        self.open_soon()
        return "opening"

    def follow(self) -> None:
        """Open the published index, so that no later question is answered from the one before."""
        opened = self._known()
        try:
            if opened is not None:
                opened.follow()
        except KohakuError as error:  # the next question meets it
            _LOGGER.warning("the published index was not opened: %s", error)

    def cache_counts(self) -> dict[str, int]:
        """Return the lookups of the semantic cache by result."""
        opened = self._known()
        return {
            name: 0 if opened is None else getattr(opened.cache_counts, name)
            for name in ("exact", "semantic", "misses")
        }

    def close(self) -> None:
        """Close the database, after what is being opened: its libraries must not be ended halfway."""
        for thread in list(self._threads):
            thread.join(OPENING_S)
        with self._lock:
            if self._open is not None:
                self._open.close()
            self._open = None
        self._end_use()

    def _log_once(self, message: str) -> None:
        with self._lock:
            is_new, self._logged = message != self._logged, message
        if is_new:
            _LOGGER.warning("not ready: %s", message)

    def _known(self) -> Assistant | None:
        with self._lock:
            return self._open

    def _opened(self) -> Assistant:
        found = self._known()
        if found is not None:
            return found
        with self._opening:
            found = self._known()
            if found is None:
                run = Run(self.project)
                check_requirements(run, ANSWERING[:2])
                found = Assistant(run.session, serves_anybody=True)
                with self._lock:
                    self._open = found
        return found
