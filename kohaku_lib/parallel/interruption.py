"""Thread pools whose threads can check whether their caller was interrupted."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar


@contextmanager
def interruptible_pool(threads: int, name: str = "kohaku") -> Iterator[ThreadPoolExecutor]:
    """Yield a pool of `threads`; on exit, pending work is dropped and running work is awaited.

    If an interrupt ends the block (Ctrl-C, SIGTERM, a terminated run), `is_interrupted` returns True in the threads of the
    pool and of pools that they opened. An ordinary error does not set it: running calls may already be paid for.
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
    """Return whether the caller of this thread's pool was interrupted.

    >>> is_interrupted()
    False
    """
    interrupt = _CURRENT.get()
    return interrupt is not None and interrupt.is_set()


class _Interrupt:
    """The interrupt flag of a pool, which includes those of enclosing pools."""

    def __init__(self, outer: _Interrupt | None) -> None:
        self.event = threading.Event()
        self._outer = outer

    def is_set(self) -> bool:
        return self.event.is_set() or (self._outer is not None and self._outer.is_set())


_CURRENT: ContextVar[_Interrupt | None] = ContextVar("interrupt", default=None)
