"""Work that fans out to threads, and how those threads learn that whoever waits for them was interrupted."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar


@contextmanager
def interruptible_pool(threads: int, name: str = "kohaku") -> Iterator[ThreadPoolExecutor]:
    """Yield a pool of `threads`; at the end, work that has not begun is dropped and work under way is waited for.

    Where the block is left by an interrupt (Ctrl-C, SIGTERM, a run that is ended) `is_interrupted` says so to the
    threads of the pool, and to those of pools that they opened themselves. Where it is left by an error it does not:
    what is under way may be paid for.
    """
    interrupt = _Interrupt(_CURRENT.get())
    pool = ThreadPoolExecutor(threads, thread_name_prefix=name, initializer=_CURRENT.set, initargs=(interrupt,))
    try:
        yield pool
    except Exception:
        raise
    except BaseException:
        interrupt.event.set()
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def is_interrupted() -> bool:
    """Return whether the caller of the pool that this thread works for was interrupted.

    >>> is_interrupted()
    False
    """
    interrupt = _CURRENT.get()
    return interrupt is not None and interrupt.is_set()


class _Interrupt:
    """An interrupt of one pool, or of the one whose thread opened it."""

    def __init__(self, outer: _Interrupt | None) -> None:
        self.event = threading.Event()
        self._outer = outer

    def is_set(self) -> bool:
        return self.event.is_set() or (self._outer is not None and self._outer.is_set())


_CURRENT: ContextVar[_Interrupt | None] = ContextVar("interrupt", default=None)
