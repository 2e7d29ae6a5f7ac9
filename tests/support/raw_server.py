"""A server on the loopback that answers each connection as a script says, byte by byte."""

from __future__ import annotations

import contextlib
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterable

Script = Callable[[socket.socket, bytes], object]
END_S = 60.0  # in which a thread ends whose connection is gone


class RawServer:
    """`with RawServer(script) as server: ... server.url`: `script(connection, head)` is called for each connection.

    `head` is what was received up to the end of the headers; several scripts are used in turn, the last one from
    then on. `heads` holds all heads. With `context` the exchange is encrypted. At the end of the block connections are
    hung up and their threads awaited.
    """

    def __init__(self, *scripts: Script, context: ssl.SSLContext | None = None) -> None:
        self._scripts, self._context = list(scripts), context
        self.heads: list[bytes] = []
        self._accepting = threading.Thread(target=self._accept, daemon=True)
        self._connections: list[tuple[threading.Thread, socket.socket]] = []
        self._ending = threading.Event()
        self._listening = socket.create_server(("127.0.0.1", 0))
        self._listening.settimeout(0.02)  # so that it is seen when the block ends
        self.port = self._listening.getsockname()[1]
        self.url = f"{'http' if context is None else 'https'}://127.0.0.1:{self.port}"

    def __enter__(self) -> RawServer:
        self._accepting.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._ending.set()
        self._accepting.join(END_S)
        self._listening.close()
        for _, connection in self._connections:
            with contextlib.suppress(OSError):  # closed already
                socket.socket.shutdown(connection, socket.SHUT_RDWR)  # an encrypted one without a farewell
        for thread in (self._accepting, *(thread for thread, _ in self._connections)):
            thread.join(END_S)
            assert not thread.is_alive(), "a connection is still being served"

    def _accept(self) -> None:
        while not self._ending.is_set():
            try:
                connection, _ = self._listening.accept()
            except TimeoutError:
                continue
            if self._context is not None:
                connection = self._context.wrap_socket(connection, server_side=True, do_handshake_on_connect=False)
            script = self._scripts.pop(0) if len(self._scripts) > 1 else self._scripts[0]
            thread = threading.Thread(target=self._serve, args=(connection, script), daemon=True)
            self._connections.append((thread, connection))
            thread.start()

    def _serve(self, connection: socket.socket, script: Script) -> None:
        with connection, contextlib.suppress(OSError):
            head = b""
            while b"\r\n\r\n" not in head and (part := connection.recv(65536)):  # the first one shakes hands, too
                head += part
            self.heads.append(head)
            script(connection, head)


def sends(*parts: bytes, pause_s: float = 0.0, end: bool = True) -> Script:
    """Return a script that sends `parts` with pauses between them; it hangs up only where `end`."""

    def script(connection: socket.socket, head: bytes) -> None:
        for part in parts:
            connection.sendall(part)
            time.sleep(pause_s)
        while not end and connection.recv(65536):
            pass

    return script


def drips(begun: bytes, bytes_: Iterable[int], pause_s: float = 0.05) -> Script:
    """Return a script that sends `begun` and then one byte at a time."""
    return sends(begun, *(bytes((byte,)) for byte in bytes_), pause_s=pause_s)


def response(body: bytes = b"", status: str = "200 OK", **headers: str) -> bytes:
    """Return a whole response; an underscore in a header's name stands for a hyphen."""
    fields = {"Content-Length": str(len(body)), "Connection": "close"}
    fields |= {name.replace("_", "-"): value for name, value in headers.items()}
    lines = [f"HTTP/1.1 {status}", *(f"{name}: {value}" for name, value in fields.items()), "", ""]
    return "\r\n".join(lines).encode() + body
