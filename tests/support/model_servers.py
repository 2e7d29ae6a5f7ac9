"""Servers on the loopback that answer given paths with given JSON, as model servers tell of their models."""

from __future__ import annotations

import json
from http.server import BaseHTTPRequestHandler
from typing import Any

from kohaku_lib.testing.joined_server import JoinedServer


class ModelServer(JoinedServer):
    """`replies` has a JSON value, or bytes, for each path; for "POST PATH" by the model that is named. All else is 404."""

    def __init__(self, replies: dict[str, Any]) -> None:
        self.replies, self.asked = replies, []
        super().__init__(type("Handler", (_Handler,), {"owner": self}))

    @property
    def port(self) -> int:
        return int(self.server_address[1])

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"


class _Handler(BaseHTTPRequestHandler):
    owner: ModelServer

    def do_GET(self) -> None:
        self._answer(self.owner.replies.get(self.path))

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self._answer(self.owner.replies.get(f"POST {self.path}", {}).get(body["model"]))

    def do_HEAD(self) -> None:
        self._answer(None)

    def _answer(self, content: Any) -> None:
        self.owner.asked.append(f"{self.command} {self.path}")
        body = content if isinstance(content, bytes) else json.dumps(content).encode()
        self.send_response(404 if content is None else 200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Write nothing."""
