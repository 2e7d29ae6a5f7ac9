"""Limits of bodies: their size, and how long they may take to arrive or to be taken."""

from __future__ import annotations

import asyncio
import time

from starlette.datastructures import Headers
from starlette.types import Message, Receive, Scope, Send

from kohaku_assets.server.problems import Problem
from kohaku_lib.settings import ServerSettings

UPLOADS = "/v1/documents"
MEGABYTE = 1_000_000
_FORM_BYTES = 10_000  # around an uploaded file


def limited_receive(scope: Scope, receive: Receive, settings: ServerSettings) -> Receive:
    """Return `receive` for a request, which raises Problem where the body is too large or too slow.

    Raises:
        Problem: The stated length is too large.
    """
    is_upload = scope["method"] == "POST" and scope["path"] == UPLOADS
    most_mb = settings.max_upload_mb if is_upload else settings.max_body_mb
    most = int(most_mb * MEGABYTE) + (_FORM_BYTES if is_upload else 0)
    stated = Headers(scope=scope).get("content-length", "0")
    too_large = Problem(
        413, f"a body has at most {most_mb:g} MB here; send less, or raise the limit in section 'server'"
    )
    is_over = stated.isdecimal() and int(stated) > most
    received, ended, deadline = 0, False, time.monotonic() + settings.body_timeout_s

    async def limited() -> Message:
        nonlocal received, ended
        if is_over:
            raise too_large
        if ended:  # what follows is the end of the connection, which may take its time
            return await receive()
        left_s = settings.body_timeout_s if is_upload else deadline - time.monotonic()
        try:
            message = await asyncio.wait_for(receive(), max(left_s, 0.001))
        except TimeoutError:
            msg = f"the body did not arrive within {settings.body_timeout_s:g} s; send it again"
            raise Problem(408, msg, {"Connection": "close"}) from None
        received += len(message.get("body", b""))
        if received > most:
            raise too_large
        ended = not message.get("more_body", False)
        return message

    return limited


def limited_send(send: Send, limit_s: float) -> Send:
    """Return `send`, which raises Problem where the caller takes nothing of a response for so long."""

    async def limited(message: Message) -> None:
        try:
            async with asyncio.timeout(limit_s):
                await send(message)
        except TimeoutError:
            raise Problem(408, f"the caller took nothing of the response for {limit_s:g} s") from None

    return limited
