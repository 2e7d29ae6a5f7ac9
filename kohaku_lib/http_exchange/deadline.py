"""One time limit over a whole exchange: looking the host up, connecting, sending, headers and body."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from kohaku_lib.http_exchange.faults import InterruptedExchangeError
from kohaku_lib.parallel.interruption import is_interrupted

POLL_S = 0.2  # how often a wait looks for an interrupt
GRACE_S = 1.5  # what an interrupt leaves to an exchange under way: it may be paid for


class Deadline:
    """The moment at which an exchange must be over, not after that of the deadline that is applied in this thread.

    An interrupt brings it forward to `GRACE_S` from then.

    >>> Deadline(None).left_s() > 1e6, Deadline(0.0).left_s() > 0
    (True, False)
    """

    def __init__(self, timeout_s: float | None) -> None:
        until_s, outer = math.inf if timeout_s is None else time.monotonic() + timeout_s, _CURRENT.get()
        self._until_s = until_s if outer is None else min(until_s, outer._until_s)
        self._interrupted = False

    def left_s(self) -> float:
        """Return the seconds that are left, not above 0 where none are; raises InterruptedExchangeError."""
        now = time.monotonic()
        if not self._interrupted and is_interrupted():
            self._interrupted = True
            self._until_s = min(self._until_s, now + GRACE_S)
        left_s = self._until_s - now
        if self._interrupted and left_s <= 0:
            msg = "the exchange was interrupted"
            raise InterruptedExchangeError(msg)
        return left_s

    @contextmanager
    def applied(self) -> Iterator[None]:
        """Let this be the deadline of what this thread does with the network meanwhile."""
        token = _CURRENT.set(self)
        try:
            yield
        finally:
            _CURRENT.reset(token)


def current_deadline(timeout_s: float | None) -> Deadline:
    """Return the deadline that is applied in this thread, else one `timeout_s` from now."""
    return _CURRENT.get() or Deadline(timeout_s)


_CURRENT: ContextVar[Deadline | None] = ContextVar("deadline", default=None)
