"""A server of documents on the loopback that answers each path with what a test laid there, and counts.

`with DocumentServer({"/a.pdf": Page(PDF)}) as server: server.url("/a.pdf")`. A path may hold a list of pages, one per
request; the last one stays.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any

from hang_limit import HANG_S

from kohaku_lib.testing.joined_server import JoinedServer

PDF = b"%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n"


@dataclass(frozen=True, slots=True)
class Page:
    """One answer; `stated_length` goes before the true one, `sent` cuts the body, `drip_s` waits before each piece."""

    body: bytes = b""
    kind: str = "application/pdf"
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    stated_length: int | None = None
    without_length: bool = False
    delay_s: float = 0.0
    piece: int = 1 << 16
    drip_s: float = 0.0
    head_status: int | None = None


class DocumentServer:
    """The server in a thread of its own; `requests` lists method and path, `most_at_once` the busiest moment.

    Before `together` requests were there at once, none is answered.
    """

    def __init__(self, pages: Mapping[str, Page | Sequence[Page]], together: int = 1) -> None:
        self.pages = {path: list(page) if isinstance(page, Sequence) else [page] for path, page in pages.items()}
        self.requests: list[tuple[str, str]] = []
        self.agents: set[str] = set()
        self.at_once = self.most_at_once = 0
        self.together = together
        self.lock = threading.Lock()
        self.arrived = threading.Condition(self.lock)
        self.http = JoinedServer(type("Handler", (_Handler,), {"owner": self}))
        self.port = self.http.server_address[1]

    def url(self, path: str, host: str = "127.0.0.1") -> str:
        """Return the address of `path` under a name of the loopback."""
        return f"http://{host}:{self.port}{path}"

    def count(self, path: str, method: str = "GET") -> int:
        """Return how often `path` was asked for."""
        return Counter(self.requests)[method, path]

    def page(self, method: str, path: str) -> Page:
        """Take note of a request and return its answer."""
        with self.lock:
            self.requests.append((method, path))
            pages = self.pages.get(path, [Page(b"not here", "text/plain", 404)])
            return pages.pop(0) if len(pages) > 1 and method == "GET" else pages[0]

    def __enter__(self) -> DocumentServer:
        self.http.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.http.stop()


class _Handler(BaseHTTPRequestHandler):
    owner: DocumentServer

    def do_GET(self) -> None:
        owner = self.owner
        page = owner.page("GET", self.path)
        with owner.arrived:
            owner.at_once += 1
            owner.most_at_once = max(owner.most_at_once, owner.at_once)
            owner.agents.add(self.headers["User-Agent"])
            owner.arrived.notify_all()
            assert owner.arrived.wait_for(lambda: owner.most_at_once >= owner.together, HANG_S), "the others never came"
        try:
            self._answer(page)
        finally:
            with owner.lock:
                owner.at_once -= 1

    def do_HEAD(self) -> None:
        page = self.owner.page("HEAD", self.path)
        self.send_response(page.head_status or page.status)
        self._headers(page)

    def _answer(self, page: Page) -> None:
        self.owner.http.pause(page.delay_s)
        self.send_response(page.status)
        self._headers(page)
        try:
            for start in range(0, len(page.body), page.piece):
                self.wfile.write(page.body[start : start + page.piece])
                self.wfile.flush()
                self.owner.http.pause(page.drip_s)
        except ConnectionError:
            pass  # the one who asked has seen enough

    def _headers(self, page: Page) -> None:
        self.send_header("Content-Type", page.kind)
        for name, value in page.headers.items():
            self.send_header(name, value)
        if not page.without_length:
            length = len(page.body) if page.stated_length is None else page.stated_length
            self.send_header("Content-Length", str(length))
        self.end_headers()

    def log_message(self, *args: Any) -> None:  # type: ignore[override]
        """Keep quiet."""
