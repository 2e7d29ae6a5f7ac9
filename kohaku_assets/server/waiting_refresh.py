"""The process of the next refresh: started ahead, so that a file that is added is searchable seconds later."""

from __future__ import annotations

import subprocess
import tempfile
import threading
from typing import IO, NamedTuple

from kohaku_assets.operations.own_command import own_command
from kohaku_assets.pipeline.project import Project

MODULE = "kohaku_assets.cli.waiting"
IDLE_S, _END_S = 900.0, 30.0


class RefreshProcess(NamedTuple):
    """A process of `kohaku refresh`: its messages come by its standard error, its table goes to a file."""

    process: subprocess.Popen[str]
    table: IO[str]


class WaitingRefresh:
    """The process of the next refresh of `goals`. Thread-safe.

    One that was prepared waits for IDLE_S at most; it keeps some 250 MB of memory.
    """

    def __init__(self, project: Project, goals: tuple[str, ...]) -> None:
        self._project = project
        self._goals = goals
        self._lock = threading.Lock()
        self._waiting: RefreshProcess | None = None
        self._idle: threading.Timer | None = None
        self._is_closed = False

    def prepare(self) -> None:
        """Start the process of the next refresh, unless one waits."""
        with self._lock:
            if self._is_closed or (self._waiting is not None and self._waiting.process.poll() is None):
                return
            self._end()
            self._waiting = self._started()
            self._idle = threading.Timer(IDLE_S, self._end_idle)
            self._idle.daemon = True
            self._idle.start()

    def begin(self) -> RefreshProcess:
        """Return the process that waits, or a new one, told to begin."""
        with self._lock:
            if self._idle is not None:
                self._idle.cancel()
            taken, self._waiting, self._idle = self._waiting, None, None
        if taken is None or not _told(taken):
            taken = self._started()
            _told(taken)
        return taken

    def close(self) -> None:
        """End the process that waits, and prepare no other."""
        with self._lock:
            self._is_closed = True
            self._end()

    def _started(self) -> RefreshProcess:
        table = tempfile.TemporaryFile("w+")  # noqa: SIM115 - closed by who reads it
        process = subprocess.Popen(  # noqa: S603 - our own command
            own_command(self._project, "refresh", *self._goals, "--json", "--verbose", module=MODULE),
            stdin=subprocess.PIPE,
            stdout=table,
            stderr=subprocess.PIPE,
            text=True,
            cwd=self._project.home,
            errors="replace",
        )
        return RefreshProcess(process, table)

    def _end_idle(self) -> None:
        with self._lock:
            self._end()

    def _end(self) -> None:
        if self._idle is not None:
            self._idle.cancel()
        if self._waiting is not None:
            process, table = self._waiting
            process.terminate()
            process.communicate(timeout=_END_S)
            table.close()
        self._waiting = self._idle = None


def _told(waiting: RefreshProcess) -> bool:
    """Tell a process to begin; False if it has ended."""
    process = waiting.process
    assert process.stdin is not None
    assert process.stderr is not None
    try:
        with process.stdin as line:
            line.write("\n")
    except BrokenPipeError:
        process.wait()
        process.stderr.close()
        waiting.table.close()
        return False
    return True
