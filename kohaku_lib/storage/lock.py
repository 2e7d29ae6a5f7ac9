"""The store's lock: one writer at a time, and one clear sentence for the second."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from kohaku_lib.errors import StoreError


@contextmanager
def store_lock(store: Path) -> Iterator[None]:
    """Hold the lock of `store`; the operating system frees it when the process ends, however it ends.

    Reentrant within a process. Raises StoreError at once where another process holds it.
    """
    store.mkdir(parents=True, exist_ok=True)
    lock = FileLock(store / ".lock", timeout=0, is_singleton=True, thread_local=False)
    try:
        lock.acquire()
    except Timeout:
        msg = f"another run is writing to the store {str(store)!r}; wait until it has ended, or set another store"
        raise StoreError(msg) from None
    try:
        yield
    finally:
        lock.release()
