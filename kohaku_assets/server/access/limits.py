"""Limits by caller: requests in a minute, and at the same time."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable

from cachetools import LRUCache

from kohaku_assets.server.problems import Problem

MOST_CALLERS = 10_000
WAIT_S = 1  # after too many requests at once


class Limits:
    """Up to `per_minute` requests of a caller in a minute, all at once or spread, and `at_once` under way.

    For one thread, that of the event loop. `clock` gives seconds, monotonic.

    >>> limits = Limits(per_minute=60, at_once=1, clock=lambda: 0.0)
    >>> limits.enter("ann")
    >>> limits.enter("ann")
    Traceback (most recent call last):
    kohaku_assets.server.problems.Problem: 429: 1 requests of this caller are under way, and more are refused; try again later
    """

    def __init__(self, per_minute: int, at_once: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._per_minute, self._at_once, self._clock = per_minute, at_once, clock
        self._left: LRUCache[str, tuple[float, float]] = LRUCache(MOST_CALLERS)  # requests left, as of when
        self._active: Counter[str] = Counter()

    def enter(self, caller: str) -> None:
        """Count a request of `caller` as under way until `leave`.

        Raises:
            Problem: There are too many; it says when to try again.
        """
        if self._active[caller] >= self._at_once:
            msg = f"{self._at_once} requests of this caller are under way, and more are refused; try again later"
            raise Problem(429, msg, {"Retry-After": str(WAIT_S)})
        now = self._clock()
        left, then = self._left.get(caller, (float(self._per_minute), now))
        left = min(self._per_minute, left + (now - then) * self._per_minute / 60)
        if left < 1:
            wait_s = int((1 - left) * 60 / self._per_minute) + 1
            msg = f"more than {self._per_minute} requests in a minute; try again in {wait_s} s"
            raise Problem(429, msg, {"Retry-After": str(wait_s)})
        self._left[caller] = left - 1, now
        self._active[caller] += 1

    def leave(self, caller: str) -> None:
        """Count a request as answered."""
        self._active[caller] -= 1
        if not self._active[caller]:
            del self._active[caller]
