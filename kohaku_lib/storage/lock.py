"""Locks between processes: the store lock, which fails at once, and locks that wait."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import BaseFileLock, FileLock, Timeout

from kohaku_lib.errors import StoreError
from kohaku_lib.storage.interrupted_restore import put_back
from kohaku_lib.storage.store_paths import StorePaths

SILENT_S, LIMIT_S = 2.0, 600.0
_LOOK_S = 0.5  # between two looks at whether to wait
_LOGGER = logging.getLogger(__name__)


@contextmanager
def store_lock(store: Path, waits: Callable[[], bool] = lambda: False) -> Iterator[None]:
    """Hold the lock of `store`; the operating system releases it when the process ends for any reason.

    Reentrant within a process. A store that a killed restore had moved away is put back.

    Raises:
        StoreError: Another process holds it, and `waits` does not say, or no longer, to wait for that.

    """
    put_back(store)
    store.mkdir(parents=True, exist_ok=True)
    lock = FileLock(StorePaths(store).lock, timeout=0, is_singleton=True, thread_local=False)
    while not _is_acquired(lock):
        if not waits():
            msg = f"another run is writing to the store {str(store)!r}; wait until it ends, or choose another store"
            raise StoreError(msg)
        time.sleep(_LOOK_S)
    try:
        yield
    finally:
        lock.release()


def _is_acquired(lock: BaseFileLock) -> bool:
    try:
        lock.acquire()
    except Timeout:
        return False
    return True


@contextmanager
def awaited_lock(path: Path, work: str, silent_s: float = SILENT_S, limit_s: float = LIMIT_S) -> Iterator[None]:
    """Hold the lock file `path`, waiting for another process that does the same `work`.

    A wait of more than `silent_s` is logged as a warning.

    Raises:
        StoreError: The other process still holds it after `silent_s` and another `limit_s`.

    """
    lock = FileLock(path)
    try:
        lock.acquire(timeout=silent_s)
    except Timeout:
        _LOGGER.warning("waiting up to %.0f s for another process that is %s (it holds %s)", limit_s, work, path)
        try:
            lock.acquire(timeout=limit_s)
        except Timeout:
            msg = f"another process has been {work} for {limit_s:.0f} s and holds {str(path)!r}; end it and try again"
            raise StoreError(msg) from None
    try:
        yield
    finally:
        lock.release()
