"""Limits of bodies: their size, and how long they may take to arrive or to be taken."""

from __future__ import annotations

import asyncio
import time

from starlette.datastructures import Headers
from starlette.types import Message, Receive, Scope, Send

from kohaku_assets.server.problems import Problem
from kohaku_lib.settings import ServerSettings

UPLOADS = "/v1/documents"
CHAT = frozenset({"/v1/chat", "/v1/chat/completions"})
PICTURES_MB = 12.0  # of a message, as base64: 8 MiB of answer.max_image_mb
SPARED_BYTES = 65_536  # of a body that nobody reads: dropped, while a longer one ends the connection
MEGABYTE = 1_000_000
_FORM_BYTES = 10_000  # around an uploaded file


def limited(scope: Scope, receive: Receive, send: Send, settings: ServerSettings) -> tuple[Receive, Send]:
    """Return `receive` and `send` of a request within the limits.

    `receive` raises Problem where the body is too large or too slow, `send` where the caller takes nothing. A response that
    begins before a large body was read ends the connection, as the rest would only cost time.
    """
    body = _Body(scope, receive, settings)
    limited_to = limited_send(send, settings.body_timeout_s)

    async def closing(message: Message) -> None:
        if message["type"] == "http.response.start" and body.has_large_rest:
            message["headers"] = [*message.get("headers", ()), (b"connection", b"close")]
        await limited_to(message)

    return body.receive, closing


class _Body:
    """The body of one request as it arrives."""

    def __init__(self, scope: Scope, receive: Receive, settings: ServerSettings) -> None:
        headers = Headers(scope=scope)
        self._receive, self._limit_s = receive, settings.body_timeout_s
        self._is_upload = scope["method"] == "POST" and scope["path"] == UPLOADS
        pictures_mb = PICTURES_MB if scope["path"] in CHAT else 0.0
        self._most_mb = settings.max_upload_mb if self._is_upload else settings.max_body_mb + pictures_mb
        self._most = int(self._most_mb * MEGABYTE) + (_FORM_BYTES if self._is_upload else 0)
        stated = headers.get("content-length", "0")
        self._stated = int(stated) if stated.isdecimal() else 0
        self._is_open_ended = "transfer-encoding" in headers
        self._received, self._ended, self._deadline = 0, False, time.monotonic() + self._limit_s

    @property
    def has_large_rest(self) -> bool:
        """Whether much of the body may still come."""
        return not self._ended and (self._is_open_ended or self._stated - self._received > SPARED_BYTES)

    async def receive(self) -> Message:
        """Return the next part of the body; raises Problem beyond the limits."""
        if self._stated > self._most:
            raise self._too_large()
        if self._ended:  # what follows is the end of the connection, which may take its time
            return await self._receive()
        left_s = self._limit_s if self._is_upload else self._deadline - time.monotonic()
        try:
            message = await asyncio.wait_for(self._receive(), max(left_s, 0.001))
        except TimeoutError:
            msg = f"the body did not arrive within {self._limit_s:g} s; send it again"
            raise Problem(408, msg, {"Connection": "close"}) from None
        self._received += len(message.get("body", b""))
        if self._received > self._most:
            raise self._too_large()
        self._ended = not message.get("more_body", False)
        return message

    def _too_large(self) -> Problem:
        return Problem(
            413, f"a body has at most {self._most_mb:g} MB here; send less, or raise the limit in section 'server'"
        )


def limited_send(send: Send, limit_s: float) -> Send:
    """Return `send`, which raises Problem where the caller takes nothing of a response for so long."""

    async def limited(message: Message) -> None:
        try:
            async with asyncio.timeout(limit_s):
                await send(message)
        except TimeoutError:
            raise Problem(408, f"the caller took nothing of the response for {limit_s:g} s") from None

    return limited
