"""An HTTP server on the loopback whose threads have all ended when it stops: none is left to trouble another test."""

from __future__ import annotations

import contextlib
import socket
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

END_S = 60.0  # in which a thread ends whose connection is gone


class JoinedServer(ThreadingHTTPServer):
    """`start` serves in a thread of its own, each connection in another; `stop` ends and awaits all. A block does both."""

    def __init__(self, handler: type[BaseHTTPRequestHandler], port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), handler)
        self._ending = threading.Event()
        self._serving = threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self._connections: list[tuple[threading.Thread, socket.socket]] = []

    def start(self) -> None:
        """Serve until `stop`."""
        self._serving.start()

    def __enter__(self) -> JoinedServer:
        self.start()
        return self

    def __exit__(
        self, exc_type: type[BaseException] | None, exc_val: BaseException | None, exc_tb: TracebackType | None
    ) -> None:
        self.stop()

    def stop(self) -> None:
        """Take no more connections, hang up those that are open, and wait for their threads."""
        self._ending.set()
        self.shutdown()
        self.server_close()
        for _, connection in self._connections:
            with contextlib.suppress(OSError):  # closed already
                connection.shutdown(socket.SHUT_RDWR)
        for thread in (self._serving, *(thread for thread, _ in self._connections)):
            thread.join(END_S)
            assert not thread.is_alive(), "a request is still being answered"

    def pause(self, seconds: float) -> None:
        """Let a handler sleep, at most until the server stops, which is an error to it."""
        if self._ending.wait(seconds):
            msg = "the server stops"
            raise ConnectionAbortedError(msg)

    def process_request(self, request: Any, client_address: Any) -> None:
        """Answer a connection in a thread that is known."""
        thread = threading.Thread(target=self.process_request_thread, args=(request, client_address), daemon=True)
        self._connections = [one for one in self._connections if one[0].is_alive()] + [(thread, request)]
        thread.start()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Keep standard error clean of callers that hung up."""
        if not isinstance(sys.exc_info()[1], (ConnectionError, TimeoutError)):
            super().handle_error(request, client_address)
