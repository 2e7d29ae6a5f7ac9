"""Runs several calls concurrently, each with a time limit."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from kohaku_lib.errors import KohakuError

Value = TypeVar("Value")
HEAD_START_S = 0.02  # before the next call begins: calls of a few milliseconds only slow each other down


@dataclass(slots=True)
class Outcome(Generic[Value]):
    """The outcome of a call: its value, or why there is none, and its duration."""

    value: Value | None = None
    failure: str | None = None  # one sentence
    ms: float = 0.0


def run_concurrently(
    calls: Mapping[str, Callable[[], Value]], timeout_s: float, clock: Callable[[], float] = time.perf_counter
) -> dict[str, Outcome[Value]]:
    """Return the outcome of each call, by name and in order; each call may take at most `timeout_s`.

    The next call starts when the previous one is done, or after 20 ms. A call fails if it raises or exceeds the timeout;
    a late result is discarded. Its daemon thread continues in the background without blocking process exit.

    >>> outcomes = run_concurrently({"one": lambda: 1, "none": lambda: 1 // 0}, timeout_s=5)
    >>> outcomes["one"].value, outcomes["none"].failure
    (1, 'ZeroDivisionError: integer division or modulo by zero')
    """
    started = clock()
    running: dict[str, _RunningCall[Value]] = {}
    for name, call in calls.items():
        running[name] = _start_thread(call, clock)
        running[name].done.wait(HEAD_START_S)
    return {name: _wait_for_outcome(call, started + timeout_s - clock(), timeout_s) for name, call in running.items()}


@dataclass(slots=True)
class _RunningCall(Generic[Value]):
    outcome: Outcome[Value]
    done: threading.Event


def _start_thread(call: Callable[[], Value], clock: Callable[[], float]) -> _RunningCall[Value]:
    running: _RunningCall[Value] = _RunningCall(Outcome(), threading.Event())
    threading.Thread(target=_run_call, args=(call, running, clock), daemon=True).start()
    return running


def _run_call(call: Callable[[], Value], running: _RunningCall[Value], clock: Callable[[], float]) -> None:
    started = clock()
    try:
        running.outcome.value = call()
    except Exception as error:
        running.outcome.failure = str(error) if isinstance(error, KohakuError) else f"{type(error).__name__}: {error}"
    running.outcome.ms = (clock() - started) * 1000
    running.done.set()


def _wait_for_outcome(running: _RunningCall[Value], left_s: float, timeout_s: float) -> Outcome[Value]:
    if running.done.wait(max(left_s, 0.0)):
        return running.outcome
    return Outcome(failure=f"it took longer than {timeout_s:g} s", ms=timeout_s * 1000)
