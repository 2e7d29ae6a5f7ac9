"""A real `kohaku serve` in a process of its own, on a free port."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
from started_process import end_process, kill_all, start_process

START_S, END_S = 120.0, 40.0


class RunningServer:
    """The process, its address and a client; `log` holds the lines of its standard error so far."""

    def __init__(self, process: subprocess.Popen[str], headers: dict[str, str]) -> None:
        self.process, self.log = process, []
        address = self._first_line().rpartition(" ")[2]
        self.url = address
        self.client = httpx.Client(base_url=address, timeout=60, headers=headers)
        self._reading = threading.Thread(target=self._read, daemon=True)
        self._reading.start()

    def stop(self) -> int:
        """End it as a service manager does; return the exit code."""
        self.client.close()
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(END_S)
        self.join()
        return code

    def join(self) -> None:
        """Wait until all of its log is read."""
        self._reading.join(END_S)

    def json_lines(self) -> list[dict[str, Any]]:
        """Return the lines of the structured log."""
        return [json.loads(line) for line in self.log if line.startswith("{")]

    def _first_line(self) -> str:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.log.append(line)
            if line.startswith("serving on "):
                return line.strip()
        msg = f"the server did not start: {self.log}"
        raise AssertionError(msg)

    def _read(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.log.append(line)


@contextmanager
def running_server(home: Path, *arguments: str, key: str | None = None) -> Iterator[RunningServer]:
    """Serve the project at `home` for the block; `key` is sent with each request."""
    process = start_process(
        [sys.executable, "-m", "kohaku_assets.cli", "serve", "--port", "0", *arguments],
        cwd=home,
        env={**os.environ, "DAGSTER_HOME": str(home / "dagster_home")},
        stderr=subprocess.PIPE,
        text=True,
    )
    server = None
    try:
        server = RunningServer(process, {"Authorization": f"Bearer {key}"} if key else {})
        yield server
        if process.poll() is None:
            server.stop()
    finally:
        kill_all(process)
        if server is not None:
            server.client.close()
            server.join()
        end_process(process)


def events_of(lines: Iterator[str]) -> Iterator[tuple[str, Any]]:
    """Yield name and data of each server-sent event."""
    name = ""
    for line in lines:
        if line.startswith("event: "):
            name = line.removeprefix("event: ")
        elif line.startswith("data: "):
            yield name, json.loads(line.removeprefix("data: "))
