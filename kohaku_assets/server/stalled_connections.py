"""Connections on which nothing comes any more: cut, so that they do not add up."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


class StalledConnections:
    """Those that wait for the head of a request, or for a caller to take the rest of a response, and since when.

    Connections are uvicorn's, of h11 or httptools: with a `transport`, and as `cycle` the request that came last.

    The server closes connections that rest between requests after 5 s by itself, but not those on which a head begins and
    never ends.
    """

    def __init__(self, head_s: float, response_s: float) -> None:
        self._head_s, self._response_s = head_s, response_s
        self._waiting: dict[Any, tuple[Any, int, float]] = {}  # the request before, bytes to send, and since when

    def cut(self, connections: Iterable[Any], now_s: float) -> int:
        """End those that wait for longer than the limit of what they wait for, and return how many; the time is monotonic."""
        waiting = {one: self._state(one, now_s) for one in connections if not _is_answering(one)}
        stalled = [
            one
            for one, (_, size, since_s) in waiting.items()
            if now_s - since_s > (self._response_s if size else self._head_s)
        ]
        for one in stalled:
            one.transport.abort()
            del waiting[one]
        self._waiting = waiting
        return len(stalled)

    def _state(self, connection: Any, now_s: float) -> tuple[Any, int, float]:
        """Return the state of a connection, as old as it is unchanged."""
        cycle, size = connection.cycle, connection.transport.get_write_buffer_size()
        known = self._waiting.get(connection)
        return known if known is not None and known[0] is cycle and known[1] == size else (cycle, size, now_s)


def _is_answering(connection: Any) -> bool:
    cycle = connection.cycle
    return cycle is not None and not cycle.response_complete and not connection.transport.is_closing()
