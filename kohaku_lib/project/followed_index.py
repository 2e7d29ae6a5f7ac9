"""The published index, kept open and followed: a new version answers the next question, the old one those under way."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from kohaku_lib.index import Snapshot
from kohaku_lib.project.published_index import open_published_index, published_version

Parts = TypeVar("Parts")


@dataclass(eq=False)
class IndexVersion(Generic[Parts]):
    """An open version of the index, what was built over it, and the number of its readers."""

    snapshot: Snapshot
    parts: Parts
    readers: int = 0


class FollowedIndex(Generic[Parts]):
    """The published index of a store, open for many threads.

    A version stays open as long as a reader of it is left; without readers only the published one does. While one thread
    opens a version that was just published, the others go on with the one before.

    Args:
        store: The folder of all computed files.
        build: Called once per version with its snapshot; its result is `parts` of all readers of that version.

    Raises:
        StoreError: There is no index yet, or a damaged one.

    """

    def __init__(self, store: Path, build: Callable[[Snapshot], Parts]) -> None:
        self._store, self._build = store, build
        self._lock = threading.Lock()  # of the numbers of readers, held for moments
        self._opening = threading.Lock()
        self._open: dict[str, IndexVersion[Parts]] = {}
        self._current = self._enter(open_published_index(store))

    @contextmanager
    def reading(self) -> Iterator[IndexVersion[Parts]]:
        """Give the published version; it stays open and the same until the block ends.

        Raises:
            StoreError: The published version cannot be opened.
        """
        self._open_published(waits=False)
        with self._lock:
            version = self._current
            version.readers += 1
        try:
            yield version
        finally:
            with self._lock:
                version.readers -= 1
                self._drop_unread()

    def follow(self) -> None:
        """Open the published version: every reader who begins after this call reads it, or one published later.

        Raises:
            StoreError: The published version cannot be opened.
        """
        self._open_published(waits=True)

    @property
    def open_versions(self) -> tuple[str, ...]:
        """The names of the versions that are open now, in the order in which they were opened."""
        with self._lock:
            return tuple(self._open)

    def _open_published(self, *, waits: bool) -> None:
        """Open the published version unless it is the current one; if not `waits`, leave it to a thread that opens one."""
        if published_version(self._store) == self._current.snapshot.version or not self._opening.acquire(
            blocking=waits
        ):
            return
        try:
            if published_version(self._store) != self._current.snapshot.version:
                version = self._enter(open_published_index(self._store))
                with self._lock:
                    self._current = version
                    self._drop_unread()
        finally:
            self._opening.release()

    def _enter(self, snapshot: Snapshot) -> IndexVersion[Parts]:
        """Build the parts of the version and count it as open."""
        version = IndexVersion(snapshot, self._build(snapshot))
        with self._lock:
            return self._open.setdefault(snapshot.version, version)

    def _drop_unread(self) -> None:
        for name in [name for name, one in self._open.items() if not one.readers and one is not self._current]:
            del self._open[name]
