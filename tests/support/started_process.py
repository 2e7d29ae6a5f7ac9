"""Child processes of tests: alike however the tests were started, and gone with all they started when the test ends."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import psutil

# What a shell ignores for a command in its background, and nohup; programs like Python leave ignored what they find so.
_IGNORABLE = (signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGHUP)
END_S = 60.0  # after SIGKILL; a machine that takes longer is broken


def start_process(command: Sequence[Any], **options: Any) -> subprocess.Popen[Any]:
    """Start `command` with the default handlers of signals and in a session of its own; `end_process` ends it."""
    with _none_ignored():
        return subprocess.Popen(command, start_new_session=True, **options)


def kill_all(process: subprocess.Popen[Any]) -> None:
    """Kill a process, its group and its descendants, some of which have groups of their own; wait until all are gone."""
    below = _descendants(process.pid)
    with contextlib.suppress(ProcessLookupError, PermissionError):  # the latter is what macOS says of ended ones
        os.killpg(process.pid, signal.SIGKILL)
    for one in below:
        with contextlib.suppress(psutil.Error):
            one.kill()
    process.wait(END_S)
    assert _comes(lambda: not _group_lives(process.pid) and not any(map(_lives, below))), f"{process.args} lives on"


def end_process(process: subprocess.Popen[Any]) -> None:
    """Kill a process and all it started, and close its pipes; a thread that reads one must have ended before."""
    kill_all(process)
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            with contextlib.suppress(BrokenPipeError):  # of what was never sent
                pipe.close()


@contextlib.contextmanager
def started_process(command: Sequence[Any], **options: Any) -> Iterator[subprocess.Popen[Any]]:
    """Run `command` for the block."""
    process = start_process(command, **options)
    try:
        yield process
    finally:
        end_process(process)


def is_gone(process: subprocess.Popen[Any]) -> bool:
    """Tell whether all of an ended process's group end soon; ended ones that nobody reaps count as gone."""
    return _comes(lambda: not _group_lives(process.pid))


def _comes(condition: Callable[[], bool]) -> bool:
    end = time.monotonic() + END_S
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def _descendants(pid: int) -> list[psutil.Process]:
    try:
        return psutil.Process(pid).children(recursive=True)
    except psutil.Error:
        return []


def _group_lives(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except (ProcessLookupError, PermissionError):
        return False
    return any(_group_of(one.pid) == group and _lives(one) for one in psutil.process_iter())


def _group_of(pid: int) -> int | None:
    try:
        return os.getpgid(pid)
    except OSError:
        return None


def _lives(one: psutil.Process) -> bool:
    try:
        return one.is_running() and one.status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False


@contextlib.contextmanager
def _none_ignored() -> Iterator[None]:
    """Handle the signals that are ignored, by doing nothing: a program that is started has defaults for handled ones.

    Unlike a `preexec_fn` it runs nothing between fork and exec, which is unsafe beside threads.
    """
    ignored = [number for number in _IGNORABLE if signal.getsignal(number) is signal.SIG_IGN]
    try:
        for number in ignored:
            signal.signal(number, lambda *_: None)
        yield
    finally:
        for number in ignored:
            signal.signal(number, signal.SIG_IGN)
