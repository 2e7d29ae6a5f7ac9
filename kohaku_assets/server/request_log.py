"""The outermost layer: request ids, one line of JSON per request on standard error, headers for browsers, metrics.

A line names route, status and key id; never a query, a header, a body or a key.
"""

from __future__ import annotations

import json
import logging
import re
import sys
import time
import uuid
from datetime import UTC, datetime

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from kohaku_assets.server.access.gate import OPEN_PATHS
from kohaku_assets.server.metrics import Metrics
from kohaku_assets.server.problems import log_fault, problem_of, problem_response, told_to
from kohaku_lib.masking import masked

LOGGER = logging.getLogger("kohaku.server")
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
BROWSER_HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}
_REQUEST_ID = re.compile(r"[\w.-]{1,64}\Z", re.ASCII)


class RequestLog:
    """Wraps the application: gives each request an id, answers what nothing else answered, and logs and counts it."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app, self._metrics = app, metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        asked = Headers(scope=scope).get("x-request-id", "")
        request_id = scope["request_id"] = asked if _REQUEST_ID.match(asked) else uuid.uuid4().hex
        begun, status = time.perf_counter(), 0

        async def send_with_headers(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(raw=message["headers"])
                headers["X-Request-ID"] = request_id
                for name, value in BROWSER_HEADERS.items():
                    headers.setdefault(name, value)
                message["headers"] = headers.raw
            await send(message)

        self._metrics.begin()
        try:
            await self._app(scope, receive, send_with_headers)
        except Exception as error:
            problem = problem_of(error)
            log_fault(error, problem, request_id)
            if not status:
                await problem_response(told_to(scope, problem), request_id)(scope, receive, send_with_headers)
        finally:
            seconds = time.perf_counter() - begun
            self._metrics.end(scope["method"], route_of(scope), status, seconds)
            LOGGER.info("request", extra={"fields": _fields(scope, request_id, status, seconds)})


class JsonLines(logging.Formatter):
    """A log record as one line of JSON with secrets masked."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        moment = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        line = {"time": moment, "level": record.levelname.lower(), "message": record.getMessage()}
        line |= getattr(record, "fields", {})
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return masked(json.dumps(line, ensure_ascii=True))


def log_to_standard_error() -> None:
    """Write the log of the server as lines of JSON."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    LOGGER.handlers = [handler]
    LOGGER.setLevel(logging.INFO)
    LOGGER.propagate = False


def _fields(scope: Scope, request_id: str, status: int, seconds: float) -> dict[str, object]:
    principal = scope.get("principal")
    return {
        "request_id": request_id,
        "method": scope["method"],
        "route": route_of(scope),
        "status": status,
        "ms": round(seconds * 1000, 1),
        "org": getattr(principal, "org_id", None),
        "key": getattr(principal, "key_id", None),
    }


def route_of(scope: Scope) -> str:
    """Return the template of the path, such as /v1/nodes/{node_id}; no path of a caller's own."""
    known = getattr(scope.get("route"), "path", None)
    return known or (scope["path"] if scope["path"] in OPEN_PATHS else "other")
