"""The organisations whose documents an assistant serves: which one asks, and what each has of its own."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kohaku_lib.conversation.conversations import or_logged
from kohaku_lib.conversation.memory.runtime_settings import STORE, RuntimeSettings
from kohaku_lib.conversation.memory.served_questions import ServedQuestions
from kohaku_lib.conversation.request import RequestError
from kohaku_lib.settings import Settings

if TYPE_CHECKING:
    from sqlalchemy import Engine


def asking_organisation(org_id: str | None, own: str, served: frozenset[str]) -> str:
    """Return the organisation that a request is from, by its `org_id`.

    Args:
        org_id: What the request names; it may only be left out where all documents are of `own`.
        own: The organisation of the settings (corpus.org_id).
        served: The organisations of the documents of the index.

    Raises:
        RequestError: The index has documents of other organisations and the request names none, or one without documents.

    >>> asking_organisation(None, "default", frozenset({"default"}))
    'default'
    >>> asking_organisation(None, "default", frozenset({"acme", "bolt"}))
    Traceback (most recent call last):
    kohaku_lib.conversation.request.RequestError: the documents are of organisations; name yours in org_id
    """
    if org_id is None and served <= {own}:
        return own
    if not org_id:
        msg = "the documents are of organisations; name yours in org_id"
        raise RequestError(msg)
    if org_id != own and org_id not in served:
        msg = f"there are no documents of the organisation {org_id!r} here; correct org_id"
        raise RequestError(msg)
    return org_id


@dataclass(frozen=True, slots=True)
class Organisation:
    """What one organisation has of its own: settings, values set while the assistant runs, served questions."""

    settings: Settings  # of the project, for its documents alone
    runtime: RuntimeSettings
    served: ServedQuestions
    of_all: RuntimeSettings  # for every organisation of the store

    @property
    def org_id(self) -> str:
        """Its name."""
        return self.settings.corpus.org_id

    def runtime_values(self) -> dict[str, Any]:
        """Return the values set while the assistant runs, by key; those of the organisation go before those for all.

        None where the database fails, which is logged.
        """
        found = or_logged(lambda: {**self.of_all.values(), **self.runtime.values()}, {})
        return {key: one.value for key, one in found.items()}


class Organisations:
    """The organisations that asked so far. Thread-safe."""

    def __init__(self, settings: Settings, engine: Engine, clock: Callable[[], float]) -> None:
        self._settings, self._engine, self._clock = settings, engine, clock
        self._of_all = RuntimeSettings(engine, STORE, clock)
        self._known: dict[str, Organisation] = {}
        self._lock = threading.Lock()

    def get(self, org_id: str) -> Organisation:
        """Return the organisation of that name."""
        with self._lock:
            if org_id not in self._known:
                corpus = self._settings.corpus.model_copy(update={"org_id": org_id})
                settings = self._settings.model_copy(update={"corpus": corpus})
                runtime = RuntimeSettings(self._engine, org_id, self._clock)
                self._known[org_id] = Organisation(
                    settings, runtime, ServedQuestions(self._engine, org_id), self._of_all
                )
            return self._known[org_id]


def merged_values(organisation: Organisation, of_session: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values that go before the level of a question: for all, of the organisation, of the session."""
    return {**organisation.runtime_values(), **of_session}
