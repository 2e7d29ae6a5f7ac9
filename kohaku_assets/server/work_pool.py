"""Threads that answer: as many questions at once as the machine bears, the others wait for their turn."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeVar

from kohaku_assets.server.access.principal import Principal
from kohaku_assets.server.turns import Turns
from kohaku_lib.parallel import available_cores
from kohaku_lib.settings import Settings

Result = TypeVar("Result")
WAITING = 8  # threads that mostly wait for a language model


@dataclass(eq=False, slots=True)
class _PooledWork:
    """Work with the futures of its result, which its caller may cancel, and of its end, which nobody does."""

    work: Callable[[], Any]
    result: asyncio.Future[Any]
    end: asyncio.Future[None]
    has_begun: bool = False

    def run(self) -> None:
        """Do the work and tell the loop of its caller."""
        try:
            done, value = self.result.set_result, self.work()
        except BaseException as error:
            done, value = self.result.set_exception, error
        with suppress(RuntimeError):  # the loop has ended
            self.end.get_loop().call_soon_threadsafe(self._settle, done, value)

    def _settle(self, done: Callable[[Any], None], value: Any) -> None:
        if not self.result.done():
            done(value)
        self.end.set_result(None)


class WorkPool:
    """Daemon threads for work of event loops; they do not keep the process from ending.

    Organisations take turns, and within one its callers. One has at most `workers` threads at once, fewer beside others,
    and there is one more: however long its work takes, the others' begins. Work whose caller has gone before it began is
    left out.
    """

    def __init__(self, workers: int) -> None:
        self._turns: Turns[_PooledWork] = Turns(workers)
        self._changed, self._is_closed = threading.Condition(), False
        names = (f"kohaku-answers-{number}" for number in range(workers + 1))
        self._threads = [threading.Thread(target=self._serve, name=name, daemon=True) for name in names]
        for thread in self._threads:
            thread.start()

    @property
    def waiting(self) -> int:
        """How much work waits for a thread."""
        with self._changed:
            return len(self._turns)

    async def run(self, caller: Principal, work: Callable[[], Result]) -> Result:
        """Return the result of `work` for `caller`, or raise what it raises.

        Where it is cancelled after the work has begun, it ends with the work: what waits for its end does not begin before.
        """
        loop = asyncio.get_running_loop()
        own = _PooledWork(work, loop.create_future(), loop.create_future())
        with self._changed:
            self._turns.add(caller.org_id, caller.key_id or "", own)
            self._changed.notify()
        try:
            return await own.result
        except asyncio.CancelledError:
            with self._changed:
                has_begun = own.has_begun
            if has_begun:
                await asyncio.shield(own.end)
            raise

    def close(self, limit_s: float) -> None:
        """End the threads after the work that waits; those that take longer than the limit are left to the process."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()
        deadline = time.monotonic() + limit_s
        for thread in self._threads:
            thread.join(max(0.0, deadline - time.monotonic()))

    def _serve(self) -> None:
        while True:
            taken = self._take()
            if taken is None:
                return
            organisation, work = taken
            if work.has_begun:
                work.run()
            del taken, work  # hold nothing while waiting
            with self._changed:
                self._turns.end(organisation)
                self._changed.notify()  # its next one may begin, if it had all its threads

    def _take(self) -> tuple[str, _PooledWork] | None:
        """Return the work whose turn it is once there is some; None at the end."""
        with self._changed:
            while (taken := self._turns.take()) is None and not (self._is_closed and not self._turns):
                self._changed.wait()
            if taken is not None:
                taken[1].has_begun = not taken[1].result.cancelled()
            return taken


def worker_count(settings: Settings) -> int:
    """Return how many threads answer at once: `server.workers`, or as many as do not slow each other down.

    Threads that compute take turns at one interpreter: more than there are cores cost time and bring no answer sooner.

    >>> worker_count(Settings.model_validate({"llm": {"provider": "openai"}}))
    8
    """
    return settings.server.workers or (WAITING if settings.uses_chat else available_cores())
