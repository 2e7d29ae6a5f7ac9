"""Connections before anybody knows who calls: few of one address, small heads, and never as many as there are descriptors."""

from __future__ import annotations

import json
import logging
import resource
import time
import uuid
from collections import Counter
from collections.abc import Callable, Collection
from typing import Any, Protocol

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from kohaku_assets.server.problems import MEDIA_TYPE, Problem, problem_json
from kohaku_lib.settings import ServerSettings

MOST_HEAD_BYTES = 32_768
MOST_HEADERS = 100
MOST_CONNECTIONS = 1024
NOTED_EVERY_S = 60.0
WAIT_S = 5  # after too many connections
_LOG = logging.getLogger("kohaku.server")


class Connection(Protocol):
    """What is limited."""

    def end(self) -> None:
        """End the connection at once."""
        ...


class ConnectionLimits:
    """At most `per_peer` connections of an address, those of `proxies` excepted, and `most` of all; for one thread.

    Where there are as many, the one goes that has waited longest for a request, before a new one is refused. `clock` gives
    seconds, monotonic.
    """

    def __init__(
        self,
        per_peer: int,
        most: int,
        proxies: Collection[str] = (),
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._per_peer, self._most, self._proxies, self._clock = per_peer, most, frozenset(proxies), clock
        self._peers: dict[Connection, str] = {}
        self._counts: Counter[str] = Counter()
        self._waiting: dict[str, dict[Connection, None]] = {}  # by address, and all of them: the longest first
        self._all_waiting: dict[Connection, None] = {}
        self._noted: dict[str, float] = {}

    def enter(self, connection: Connection, peer: str) -> bool:
        """Count a new connection, which waits for a request; return False where there is no room for it."""
        if self._counts[peer] >= self._per_peer and peer not in self._proxies:
            self.note(f"{peer} has {self._per_peer} connections (server.connections_per_peer), and more are ended")
            if not self._end_first(self._waiting.get(peer, {})):
                return False
        if len(self._peers) >= self._most:
            self.note(f"there are {self._most} connections, half of the file descriptors, and more are ended")
            if not self._end_first(self._all_waiting):
                return False
        self._peers[connection] = peer
        self._counts[peer] += 1
        self.wait(connection)
        return True

    def wait(self, connection: Connection) -> None:
        """Note that a connection waits for the head of a request."""
        peer = self._peers.get(connection)
        if peer is not None:
            self._waiting.setdefault(peer, {})[connection] = None
            self._all_waiting[connection] = None

    def work(self, connection: Connection) -> None:
        """Note that a connection has a request that is being answered."""
        peer = self._peers.get(connection)
        if peer is not None and connection in self._all_waiting:
            del self._all_waiting[connection]
            del self._waiting[peer][connection]
            if not self._waiting[peer]:
                del self._waiting[peer]

    def leave(self, connection: Connection) -> None:
        """Count a connection as gone; one that was refused was never counted."""
        self.work(connection)
        peer = self._peers.pop(connection, None)
        if peer is not None:
            self._counts[peer] -= 1
            if not self._counts[peer]:
                del self._counts[peer]

    def note(self, sentence: str) -> None:
        """Log a sentence, each at most once in a minute."""
        now = self._clock()
        if now - self._noted.get(sentence, -NOTED_EVERY_S) >= NOTED_EVERY_S:
            self._noted = {one: then for one, then in self._noted.items() if now - then < NOTED_EVERY_S}
            self._noted[sentence] = now
            _LOG.warning(sentence)

    def _end_first(self, waiting: dict[Connection, None]) -> bool:
        first = next(iter(waiting), None)
        if first is None:
            return False
        self.leave(first)
        first.end()
        return True


def connection_limits(settings: ServerSettings) -> ConnectionLimits:
    """Return the limits of a server: the other half of its file descriptors is for the index and the database."""
    descriptors, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = MOST_CONNECTIONS if descriptors == resource.RLIM_INFINITY else min(MOST_CONNECTIONS, descriptors // 2)
    return ConnectionLimits(settings.connections_per_peer, most, settings.proxies)


def limited_protocol(limits: ConnectionLimits) -> type[HttpToolsProtocol]:
    """Return uvicorn's protocol within `limits`."""

    class LimitedProtocol(_LimitedProtocol):
        connection_limits = limits

    return LimitedProtocol


class _HeadTooLargeError(Exception):
    """A head has too many fields."""


class _LimitedProtocol(HttpToolsProtocol):
    """HTTP of one connection whose heads, and what else is no body, are bounded."""

    connection_limits: ConnectionLimits

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._left = MOST_HEAD_BYTES  # until a head, or a part of a body, must be complete
        self._fields = 0

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        if not self.connection_limits.enter(self, self.client[0] if self.client else ""):
            self._refuse(Problem(503, "too many connections; try again later", {"Retry-After": str(WAIT_S)}))

    def connection_lost(self, exc: Exception | None) -> None:
        self.connection_limits.leave(self)
        super().connection_lost(exc)

    def end(self) -> None:
        """End the connection at once."""
        self.transport.abort()

    def data_received(self, data: bytes) -> None:
        while data and not self.transport.is_closing():
            part, data = data[: self._left], data[self._left :]
            self._left -= len(part)
            super().data_received(part)
            if self._left <= 0 and not self.transport.is_closing():
                self._refuse_head()

    def send_400_response(self, msg: str) -> None:
        if self._fields > MOST_HEADERS:
            self._refuse_head()
        else:
            super().send_400_response(msg)

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._fields = 0

    def on_header(self, name: bytes, value: bytes) -> None:
        self._fields += 1
        if self._fields > MOST_HEADERS:  # trailers of a body, too
            raise _HeadTooLargeError
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        self._left = MOST_HEAD_BYTES
        self.connection_limits.work(self)
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        self._left = MOST_HEAD_BYTES
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._left = MOST_HEAD_BYTES
        super().on_message_complete()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self.cycle is None or self.cycle.response_complete:
            self.connection_limits.wait(self)

    def _refuse_head(self) -> None:
        limit = f"a head has at most {MOST_HEAD_BYTES} bytes and {MOST_HEADERS} fields here"
        self.connection_limits.note(f"{limit}, and larger ones are refused")
        self._refuse(Problem(431, f"{limit}; send less"))

    def _refuse(self, problem: Problem) -> None:
        """Answer what no request can be made of, and close the connection."""
        if self.cycle is None or self.cycle.response_complete:
            body = json.dumps(problem_json(problem, uuid.uuid4().hex)).encode()
            fields = {"content-type": MEDIA_TYPE, "content-length": len(body), "connection": "close"}
            lines = [f"{name}: {value}\r\n".encode() for name, value in {**fields, **(problem.headers or {})}.items()]
            self.transport.write(b"".join((STATUS_LINE[problem.status_code], *lines, b"\r\n", body)))
        self.transport.close()
