"""Processes that parse files, replaced when a file kills one; plain files need none."""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from kohaku_lib.documents.ocr.choice import THREADS_VARIABLE
from kohaku_lib.documents.plain_files import is_plain, reply_to_plain
from kohaku_lib.storage import available_cores, map_items

_ROOT = Path(__file__).resolve().parents[2]


def parse_isolated(tasks: Sequence[Mapping[str, Any]], workers: int = 0) -> Iterator[dict[str, Any]]:
    """Yield the reply to every task (see `worker.reply_to`), in order, computed by up to `workers` processes.

    `workers=0` means one per core. A file that takes longer than its time limit, or kills its process, gets a
    reply with status "failed"; the next one meets a fresh process. Plain files (`is_plain`) are read here: starting
    a process takes far longer.
    """
    are_plain = [is_plain(task) for task in tasks]
    guarded = [task for task, plain in zip(tasks, are_plain, strict=True) if not plain]
    replies = _by_processes(guarded, workers)
    for task, plain in zip(tasks, are_plain, strict=True):
        yield reply_to_plain(task) if plain else next(replies)
    yield from replies  # lets it end its processes


def _by_processes(tasks: Sequence[Mapping[str, Any]], workers: int) -> Iterator[dict[str, Any]]:
    if not tasks:
        return
    count = min(workers or available_cores(), len(tasks))
    with _Pool(count) as pool:
        yield from map_items(pool.reply, tasks, count)


class _Pool:
    """Worker processes, started when first needed."""

    def __init__(self, size: int) -> None:
        self._idle: queue.SimpleQueue[_Worker] = queue.SimpleQueue()
        self._all = [_Worker(max(1, available_cores() // size)) for _ in range(size)]
        for worker in self._all:
            self._idle.put(worker)

    def reply(self, task: Mapping[str, Any]) -> dict[str, Any]:
        worker = self._idle.get()
        try:
            return worker.reply(task)
        finally:
            self._idle.put(worker)

    def __enter__(self) -> _Pool:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for worker in self._all:
            worker.stop()


class _Worker:
    """One process, which may use `threads` cores, and its two pipes."""

    def __init__(self, threads: int) -> None:
        self._threads = threads
        self._process: subprocess.Popen[str] | None = None

    def reply(self, task: Mapping[str, Any]) -> dict[str, Any]:
        if self._process is None:
            self._process = _started(self._threads)
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(json.dumps(task) + "\n")
            process.stdin.flush()
            line = process.stdout.readline()
        except BrokenPipeError:
            line = ""
        if line.endswith("\n"):
            reply = json.loads(line)
            if reply.get("spent"):
                self.stop()
            return reply
        self.stop()
        return {"status": "failed", "error": _cause(task, process.returncode)}

    def stop(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.communicate()


def _started(threads: int) -> subprocess.Popen[str]:
    paths = [str(_ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "kohaku_lib.documents.worker"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        encoding="utf-8",
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths), THREADS_VARIABLE: str(threads)},
    )


def _cause(task: Mapping[str, Any], code: int | None) -> str:
    name = Path(task["path"]).name
    if code == -signal.SIGALRM:
        remedy = "leave the file out" if "images" in task else "raise documents.time_limit_s or leave the file out"
        return f"{name!r} takes longer than {task['time_limit_s']:g} s to read; {remedy}"
    reason = signal.Signals(-code).name if code is not None and code < 0 else f"exit code {code}"
    return f"{name!r} ended the process that parsed it ({reason}); leave the file out, or save it anew"
