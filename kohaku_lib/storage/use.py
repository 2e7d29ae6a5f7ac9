"""Who has a store open, across processes: servers and assistants share it, and what replaces its files needs it alone.

The operating system ends a use with the process. Without such locks (Windows) open files cannot be replaced anyway.
"""

from __future__ import annotations

import gc
import os
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from kohaku_lib.errors import StoreError
from kohaku_lib.storage.interrupted_restore import put_back
from kohaku_lib.storage.store_paths import StorePaths

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None

_ALONE: set[Path] = set()  # the stores that this process has alone: what it opens in them needs no lock


def hold_use(holder: object, store: Path) -> Callable[[], object]:
    """Keep `store` from being replaced during the lifetime of `holder`; return what ends it earlier.

    Raises:
        StoreError: Its files are being replaced.
    """
    descriptor = None if store.resolve() in _ALONE else _opened(store)
    if descriptor is None:
        return lambda: None
    if not is_locked(descriptor, shared=True):
        os.close(descriptor)
        msg = f"a backup is being restored into the store {str(store)!r}, or a document erased; try again after that"
        raise StoreError(msg)
    return weakref.finalize(holder, os.close, descriptor)


@contextmanager
def sole_use(store: Path) -> Iterator[None]:
    """Have `store` alone, so that its files can be replaced; what this process opens in it meanwhile is its own matter.

    Raises:
        StoreError: A server or an assistant has it open.
    """
    descriptor = _opened(store)
    own = store.resolve()
    try:
        if own in _ALONE or not _is_alone(descriptor):
            msg = (
                f"a server, an assistant or a question has the store {str(store)!r} open and would go on with what is "
                "replaced; end it ('kohaku serve', 'kohaku mcp', 'kohaku chat'), then try again"
            )
            raise StoreError(msg)
        _ALONE.add(own)
        try:
            yield
        finally:
            _ALONE.discard(own)
    finally:
        if descriptor is not None:
            os.close(descriptor)


def _opened(store: Path) -> int | None:
    """Return the open lock file; None in a store that this user may only read and whose lock nobody has made yet."""
    put_back(store)
    path = StorePaths(store).use_lock
    try:
        store.mkdir(parents=True, exist_ok=True)
        return os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError:
        with suppress(OSError):
            return os.open(path, os.O_RDONLY)
    return None


def _is_alone(descriptor: int | None) -> bool:
    if descriptor is None or is_locked(descriptor, shared=False):
        return True
    gc.collect()  # what this process has dropped holds the store until it is collected
    return is_locked(descriptor, shared=False)


def is_locked(descriptor: int, *, shared: bool) -> bool:
    """Lock an open file without a wait, shared or alone, and return whether it could be; always without such locks."""
    if fcntl is None:
        return True
    try:
        fcntl.flock(descriptor, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks
        pass
    return True
