"""The time that each step of a response took."""

from __future__ import annotations

from collections.abc import Callable


class Timer:
    """The milliseconds of each step so far, by `clock` (seconds, monotonic).

    >>> seconds = iter([0.0, 0.5])
    >>> timer = Timer(lambda: next(seconds))
    >>> timer.lap("read")
    >>> timer.laps_ms
    {'read': 500.0}
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._last_s = clock()
        self.laps_ms: dict[str, float] = {}

    def lap(self, name: str) -> None:
        """Add the time since the last lap to the step `name`."""
        now_s = self._clock()
        self.laps_ms[name] = self.laps_ms.get(name, 0.0) + (now_s - self._last_s) * 1000
        self._last_s = now_s
