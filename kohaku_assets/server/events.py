"""Answers as server-sent events, while they come about."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Callable, Coroutine
from typing import Any

from kohaku_lib.conversation import Response
from kohaku_lib.tables import Snippet

MEDIA_TYPE = "text/event-stream"
KEEP_ALIVE_S = 15.0
OnText = Callable[[str | Snippet], object]


class CallerGoneError(Exception):
    """Nobody reads the answer any more."""


async def answer_parts(
    respond: Callable[[OnText], Coroutine[Any, Any, Response]],
) -> AsyncIterator[str | Snippet | Response | None]:
    """Yield the parts of an answer as they arrive, and at last the whole response; None where nothing came for a while.

    Parts are of its content, and before these a passage where it is shown.

    Where the reader stops, an answer under way ends at its next part, and one that waits never begins.
    """
    parts: asyncio.Queue[str | Snippet | None] = asyncio.Queue()
    loop, gone = asyncio.get_running_loop(), threading.Event()

    def on_text(part: str | Snippet) -> None:
        if gone.is_set():
            raise CallerGoneError
        loop.call_soon_threadsafe(parts.put_nowait, part)

    work = asyncio.create_task(respond(on_text))
    work.add_done_callback(lambda _: parts.put_nowait(None))
    try:
        while True:
            try:
                part = await asyncio.wait_for(parts.get(), KEEP_ALIVE_S)
            except TimeoutError:
                yield None
                continue
            if part is None:
                yield work.result()
                return
            yield part
    finally:
        gone.set()
        work.cancel()


def event(name: str, data: Any) -> str:
    r"""Return one server-sent event.

    >>> event("token", {"text": "Ann"})
    'event: token\ndata: {"text": "Ann"}\n\n'
    """
    return f"event: {name}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n"
