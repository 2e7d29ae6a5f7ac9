"""A server on the loopback that answers each connection as a script says, byte by byte."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Callable, Iterable

Script = Callable[[socket.socket, bytes], object]


class RawServer:
    """`with RawServer(script) as server: ... server.url`: `script(connection, head)` is called for each connection.

    `head` is what was received up to the end of the headers; several scripts are used in turn, the last one from
    then on. `heads` holds all heads, `seconds` how long each connection stayed open.
    """

    def __init__(self, *scripts: Script) -> None:
        self._scripts = list(scripts)
        self.heads: list[bytes] = []
        self.seconds: list[float] = []
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = self._listening.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"

    def __enter__(self) -> RawServer:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *error: object) -> None:
        with contextlib.suppress(OSError):
            self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listening.accept()
            except OSError:
                return
            script = self._scripts.pop(0) if len(self._scripts) > 1 else self._scripts[0]
            threading.Thread(target=self._serve, args=(connection, script), daemon=True).start()

    def _serve(self, connection: socket.socket, script: Script) -> None:
        started = time.monotonic()
        with connection, contextlib.suppress(OSError):
            head = b""
            while b"\r\n\r\n" not in head and (part := connection.recv(65536)):
                head += part
            self.heads.append(head)
            script(connection, head)
        self.seconds.append(time.monotonic() - started)


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
