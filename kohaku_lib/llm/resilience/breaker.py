"""A circuit breaker for a server that is down."""

from __future__ import annotations

import threading
from collections.abc import Callable

FAILURES_TO_OPEN = 5
OPEN_S = 60.0
SUCCESSES_TO_CLOSE = 2


class CircuitBreaker:
    """Opens after five consecutive failures; after a minute, half-opens for one probe at a time.

    Two consecutive successful probes close it; a failed one opens it for another minute. `clock` returns seconds. Each
    admitted call ends in `succeeded`, `failed` or `released`.

    >>> breaker = CircuitBreaker(clock=lambda: 0.0)
    >>> for _ in range(5):
    ...     breaker.failed()
    >>> breaker.admits(), breaker.wait_s
    (False, 60.0)
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._failures = 0
        self._successes = 0
        self._opened_s: float | None = None  # None: closed
        self._is_probed = False

    @property
    def wait_s(self) -> float:
        """The seconds until the next probe; 0 if calls are admitted now."""
        return 0.0 if self._opened_s is None else max(0.0, self._opened_s + OPEN_S - self._clock())

    def admits(self) -> bool:
        """Return whether a call is admitted."""
        with self._lock:
            if self._opened_s is None:
                return True
            if self.wait_s > 0 or self._is_probed:
                return False
            self._is_probed = True
            return True

    def succeeded(self) -> None:
        """Record a successful call."""
        with self._lock:
            self._is_probed = False
            self._failures = 0
            if self._opened_s is not None and self.wait_s == 0:
                self._successes += 1
                if self._successes == SUCCESSES_TO_CLOSE:
                    self._opened_s = None

    def failed(self) -> None:
        """Record a call that found the server down."""
        with self._lock:
            self._is_probed = False
            self._failures += 1
            self._successes = 0
            if self._opened_s is not None or self._failures >= FAILURES_TO_OPEN:
                self._opened_s = self._clock()

    def released(self) -> None:
        """Record a call without evidence about the server: refused, too long, or stopped."""
        with self._lock:
            self._is_probed = False
