"""A limit for work that would hang if it were broken; on however busy a machine it decides no healthy run."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

Result = TypeVar("Result")
HANG_S = 120.0


def ended(work: Callable[[], Result], limit_s: float = HANG_S) -> Result:
    """Return what `work` returns or raise what it raises; where it never ends, the test fails."""
    future: Future[Result] = Future()

    def run() -> None:
        try:
            future.set_result(work())
        except BaseException as error:
            future.set_exception(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(limit_s)
    assert not thread.is_alive(), f"still at work after {limit_s:g} s"
    return future.result()
