"""Threads that answer: as many questions at once as the machine bears, the others wait in line."""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

Result = TypeVar("Result")


class WorkPool:
    """`workers` daemon threads for work of event loops; they do not keep the process from ending.

    Work whose caller has gone before it began is left out.
    """

    def __init__(self, workers: int) -> None:
        self._waiting: queue.SimpleQueue[tuple[Callable[[], Any], asyncio.Future[Any] | None]] = queue.SimpleQueue()
        for number in range(workers):
            threading.Thread(target=self._serve, name=f"kohaku-answers-{number}", daemon=True).start()

    @property
    def waiting(self) -> int:
        """How much work waits for a thread."""
        return self._waiting.qsize()

    async def run(self, work: Callable[[], Result]) -> Result:
        """Return the result of `work`, or raise what it raises."""
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._waiting.put((work, future))
        return await future

    def start(self, work: Callable[[], object]) -> None:
        """Have `work` done some time; what it raises is lost, so the next one who needs its result meets it."""
        self._waiting.put((work, None))

    def _serve(self) -> None:
        while True:
            work, future = self._waiting.get()
            if future is None:
                with suppress(Exception):
                    work()
                continue
            if future.cancelled():
                continue
            try:
                done, value = future.set_result, work()
            except BaseException as error:
                done, value = future.set_exception, error
            with suppress(RuntimeError):  # the loop has ended
                future.get_loop().call_soon_threadsafe(_settle, future, done, value)
            del work, future, done, value  # hold nothing while waiting


def _settle(future: asyncio.Future[Any], done: Callable[[Any], None], value: Any) -> None:
    if not future.done():
        done(value)
