"""Parser processes without a task, kept for half a minute: the next file then needs no start, which takes a second."""

from __future__ import annotations

import atexit
import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from kohaku_lib.parallel import available_cores

IDLE_LIMIT_S = 60.0  # after which an idle process ends by itself
_KEPT_S = IDLE_LIMIT_S / 2  # so that none ends while it is being taken
_ROOT = Path(__file__).resolve().parents[3]

Environment = dict[str, str]


@dataclass(frozen=True, slots=True)
class _Idle:
    process: subprocess.Popen[str]
    environment: Environment
    since_s: float
    owner: int  # a forked child leaves it alone


_idle: list[_Idle] = []
_lock = threading.Lock()


def parser_process() -> subprocess.Popen[str]:
    """Return a process for the tasks of `worker.process.serve`: an idle one, or a new one."""
    environment = _environment()
    with _lock:
        alike = [one for one in _idle if one.owner == os.getpid() and one.environment == environment]
        for one in alike:
            _idle.remove(one)
            if one.process.poll() is None and time.monotonic() - one.since_s < _KEPT_S:
                return one.process
            end_process(one.process)
    return _start_process(environment)


def keep_process(process: subprocess.Popen[str]) -> None:
    """Keep a process that has replied to all its tasks; the machine's cores say how many are kept."""
    assert process.stdin is not None
    try:
        process.stdin.write("\n")
        process.stdin.flush()
    except BrokenPipeError:
        end_process(process)
        return
    with _lock:
        _idle.append(_Idle(process, _environment(), time.monotonic(), os.getpid()))
        if len(_idle) > available_cores():
            end_process(_idle.pop(0).process)


def end_process(process: subprocess.Popen[str]) -> None:
    """Kill a process with its children, such as an OCR command."""
    with contextlib.suppress(OSError):
        os.killpg(process.pid, signal.SIGKILL)
    process.kill()
    process.communicate()


@atexit.register
def end_kept_processes() -> None:
    """End all processes that are kept."""
    with _lock:
        for one in _idle:
            if one.owner == os.getpid():
                end_process(one.process)
        _idle.clear()


def _start_process(environment: Environment) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "kohaku_lib.documents.worker.process"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        encoding="utf-8",
        process_group=0,
        env={**os.environ, **environment},
    )


def _environment() -> Environment:
    """What a parser reads of the environment, and may not be the same at the next file."""
    paths = [str(_ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "PYTHONPATH": os.pathsep.join(paths),
        "MALLOC_ARENA_MAX": "2",  # per-thread heaps would count towards the memory limit
    }
