"""Threads that answer: as many questions at once as the machine bears, the others wait in line."""

from __future__ import annotations

import asyncio
import queue
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

from kohaku_lib.kinds import PROVIDERS
from kohaku_lib.parallel import available_cores
from kohaku_lib.settings import Settings

Result = TypeVar("Result")
WAITING = 8  # threads that mostly wait for a language model


class WorkPool:
    """`workers` daemon threads for work of event loops; they do not keep the process from ending.

    Work whose caller has gone before it began is left out.
    """

    def __init__(self, workers: int) -> None:
        self._waiting: queue.SimpleQueue[tuple[Callable[[], Any], asyncio.Future[Any]] | None] = queue.SimpleQueue()
        names = (f"kohaku-answers-{number}" for number in range(workers))
        self._threads = [threading.Thread(target=self._serve, name=name, daemon=True) for name in names]
        for thread in self._threads:
            thread.start()

    @property
    def waiting(self) -> int:
        """How much work waits for a thread."""
        return self._waiting.qsize()

    async def run(self, work: Callable[[], Result]) -> Result:
        """Return the result of `work`, or raise what it raises."""
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._waiting.put((work, future))
        return await future

    def close(self, limit_s: float) -> None:
        """End the threads after the work that waits; those that take longer than the limit are left to the process."""
        for _ in self._threads:
            self._waiting.put(None)
        deadline = time.monotonic() + limit_s
        for thread in self._threads:
            thread.join(max(0.0, deadline - time.monotonic()))

    def _serve(self) -> None:
        while True:
            task = self._waiting.get()
            if task is None:
                return
            work, future = task
            if future.cancelled():
                continue
            try:
                done, value = future.set_result, work()
            except BaseException as error:
                done, value = future.set_exception, error
            with suppress(RuntimeError):  # the loop has ended
                future.get_loop().call_soon_threadsafe(_settle, future, done, value)
            del task, work, future, done, value  # hold nothing while waiting


def worker_count(settings: Settings) -> int:
    """Return how many threads answer at once: `server.workers`, or as many as do not slow each other down.

    Threads that compute take turns at one interpreter: more than there are cores cost time and bring no answer sooner.

    >>> worker_count(Settings.model_validate({"llm": {"provider": "openai"}}))
    8
    """
    uses_chat = PROVIDERS.get(settings.llm.provider).uses_chat
    return settings.server.workers or (WAITING if uses_chat else available_cores())


def _settle(future: asyncio.Future[Any], done: Callable[[Any], None], value: Any) -> None:
    if not future.done():
        done(value)
