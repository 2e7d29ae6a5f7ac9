"""A rate limit of calls and tokens per minute."""

from __future__ import annotations

import threading
from collections.abc import Callable


class RateLimit:
    """Spaces calls evenly to stay within the calls and tokens per minute; None is unlimited.

    Calls are admitted in the order of `reserve`. Thread-safe.

    >>> limit = RateLimit(requests_per_minute=30, tokens_per_minute=None, clock=lambda: 0.0)
    >>> [limit.reserve(100) for _ in range(3)]
    [0.0, 2.0, 4.0]
    """

    def __init__(
        self, requests_per_minute: int | None, tokens_per_minute: int | None, clock: Callable[[], float]
    ) -> None:
        self._s_per_request = 60.0 / requests_per_minute if requests_per_minute else 0.0
        self._s_per_token = 60.0 / tokens_per_minute if tokens_per_minute else 0.0
        self._clock = clock
        self._lock = threading.Lock()
        self._next_request_s = self._next_tokens_s = float("-inf")

    def reserve(self, tokens: int) -> float:
        """Reserve a call of up to `tokens` tokens and return the seconds to wait before it."""
        with self._lock:
            now = self._clock()
            start = max(now, self._next_request_s, self._next_tokens_s)
            self._next_request_s = start + self._s_per_request
            self._next_tokens_s = start + tokens * self._s_per_token
            return start - now

    def settle(self, reserved: int, used: int) -> None:
        """Correct a reservation to the tokens actually used."""
        with self._lock:
            self._next_tokens_s -= (reserved - used) * self._s_per_token
