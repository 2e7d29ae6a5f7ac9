"""A pool of worker processes that parse files; a killed process is replaced, plain files need none."""

from __future__ import annotations

import json
import queue
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from platform import node
from types import TracebackType
from typing import Any

from kohaku_lib.documents.formats.interface import format_of
from kohaku_lib.documents.ocr import chosen_engine, engine_identity
from kohaku_lib.documents.worker.kept_processes import end_process, keep_process, parser_process
from kohaku_lib.documents.worker.memory_limit import OCR_MEMORY_MB
from kohaku_lib.documents.worker.plain_files import is_plain, reply_to_plain
from kohaku_lib.errors import ModelError
from kohaku_lib.parallel import ActorCrew, available_cores, machine_memory, map_items
from kohaku_lib.settings import DocumentsSettings, ParallelSettings

_SHARE_OF_MACHINE = 0.8  # the rest is for this process and the system
_LEAST_MB = 1024  # per process; most documents take less


Task = Mapping[str, Any]  # see `worker.process.reply_to`
Reply = dict[str, Any]
ParseCrew = ActorCrew[Task, Reply]


def parse_isolated(tasks: Sequence[Task], workers: int = 0, crew: ParseCrew | None = None) -> Iterator[Reply]:
    """Yield the reply to every task (see `worker.process.reply_to`), in order, from up to `workers` processes.

    `workers=0` means one per core; there are fewer if memory is short. A file that exceeds its time limit or kills its
    process gets a reply with status "failed", and the next one a new process. The processes are kept for half a minute
    afterwards. Plain files (`is_plain`) are parsed in this process, which is far faster than starting another. A `crew`
    replies to the others in processes of its own actors, which see the files at the same paths.
    """
    are_plain = [is_plain(task) for task in tasks]
    guarded = [task for task, plain in zip(tasks, are_plain, strict=True) if not plain]
    replies = _pool_replies(guarded, workers) if crew is None else crew.in_order(list(map(_with_whole_path, guarded)))
    for task, plain in zip(tasks, are_plain, strict=True):
        yield reply_to_plain(task) if plain else next(replies)
    yield from replies  # lets the generator end its processes


def parse_crew(parallel: ParallelSettings, ocr: str = "off") -> ParseCrew | None:
    """Return the actors that parse if parallel.kind is "ray", each with a process of its own; else None.

    `ocr` is the setting documents.ocr where they read scans.
    """
    if parallel.kind != "ray":
        return None
    make = partial(_reply_on_actor, ocr, engine_identity(ocr))
    return ActorCrew(lambda _: (make, 1), parallel.workers)


def parse_task(path: Path, settings: DocumentsSettings) -> dict[str, Any]:
    """Return the task of parsing the file at `path` under the limits of `settings`; see `worker.process.reply_to`."""
    return {
        "path": str(path),
        "settings": settings.to_json(),
        "time_limit_s": settings.time_limit_s,
        "memory_limit_mb": settings.memory_limit_mb,
    }


def _pool_replies(tasks: Sequence[Mapping[str, Any]], workers: int) -> Iterator[dict[str, Any]]:
    if not tasks:
        return
    most = min(workers or available_cores(), len(tasks))
    with _WorkerPool(_memory_for(tasks, most)) as pool:
        yield from map_items(pool.reply, tasks, pool.size, pool.stop)


def _memory_for(tasks: Sequence[Mapping[str, Any]], workers: int) -> WorkerMemory:
    limit_mb = max(task["memory_limit_mb"] for task in tasks)
    extra_mb = OCR_MEMORY_MB if any(map(_may_need_ocr, tasks)) else 0
    return plan_memory(workers, limit_mb, machine_memory() >> 20, extra_mb)


def _may_need_ocr(task: Mapping[str, Any]) -> bool:
    kind = format_of(task["path"])
    return kind is not None and kind.reads_by_ocr and chosen_engine(task["settings"].get("ocr", "off")) != "off"


def _reply_on_actor(ocr: str, identity: str) -> Callable[[Task], Reply]:
    """Return what replies to a task on an actor, which shares its machine with one per core.

    Raises:
        ModelError: Scans would be read by another engine than where the run began.

    """
    own = engine_identity(ocr)
    if own != identity:
        msg = f"{node()} reads scans by {own}, and the machine of the run by {identity}; install the same on every node"
        raise ModelError(msg)

    def reply(task: Task) -> Reply:
        memory = replace(_memory_for([task], available_cores()), workers=1)
        with _WorkerPool(memory, threads=1) as pool:
            return pool.reply(task)

    return reply


class _WorkerPool:
    """Worker processes with so many threads each, by default all cores among them; started on first use."""

    def __init__(self, memory: WorkerMemory, threads: int = 0) -> None:
        self.size = memory.workers
        self._memory = memory
        self._retry_lock = threading.Lock()
        self._idle: queue.SimpleQueue[_WorkerProcess] = queue.SimpleQueue()
        threads = threads or max(1, available_cores() // self.size)
        self._all = [_WorkerProcess(threads) for _ in range(self.size)]
        for worker in self._all:
            self._idle.put(worker)

    def reply(self, task: Mapping[str, Any]) -> dict[str, Any]:
        """Return the reply to `task`; if its share of memory was too small, retry with more, one task at a time."""
        worker = self._idle.get()
        try:
            started = time.monotonic()
            reply = worker.reply(_with_memory(task, self._memory.each_mb))
            remaining_s = task["time_limit_s"] - (time.monotonic() - started)
            is_settled = not reply.get("spent") or reply.get("lasting")
            if is_settled or self._memory.each_mb >= self._memory.most_mb or remaining_s <= 0:
                return reply
            with self._retry_lock:
                return worker.reply({**_with_memory(task, self._memory.most_mb), "remaining_s": remaining_s})
        finally:
            self._idle.put(worker)

    def stop(self) -> None:
        """End all processes and start no others; tasks in progress get a reply with status "failed"."""
        for worker in self._all:
            worker.end()

    def __enter__(self) -> _WorkerPool:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for worker in self._all:
            if kind is None:
                worker.keep()
            else:
                worker.end()


class _WorkerProcess:
    """One worker process with `threads` cores, and its two pipes."""

    def __init__(self, threads: int) -> None:
        self._threads = threads
        self._process: subprocess.Popen[str] | None = None
        self._has_ended = False
        self._start_lock = threading.Lock()

    def reply(self, task: Mapping[str, Any]) -> dict[str, Any]:
        process = self._ensure_process()
        if process is None:
            return {"status": "failed", "error": f"{Path(task['path']).name!r} was not read; run again"}
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(self._message(task))
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
        error, is_late = _failure_message(task, process.returncode), process.returncode == -signal.SIGALRM
        return {"status": "failed", "error": error, "limit": is_late, "spent": True}

    def _message(self, task: Mapping[str, Any]) -> str:
        return json.dumps({**_with_whole_path(task), "threads": self._threads}) + "\n"

    def end(self) -> None:
        """Stop permanently, even while another thread waits for a reply."""
        with self._start_lock:
            self._has_ended = True
        self.stop()

    def _ensure_process(self) -> subprocess.Popen[str] | None:
        with self._start_lock:
            if self._process is None and not self._has_ended:
                self._process = parser_process()
            return self._process

    def stop(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            end_process(process)

    def keep(self) -> None:
        """Leave the process, if any, to the next pool."""
        process, self._process = self._process, None
        if process is not None:
            keep_process(process)


def _with_whole_path(task: Task) -> Task:
    """Return a task for a process whose folder is another: this one may have changed its own since that began."""
    return {**task, "path": str(Path(task["path"]).absolute())}


def _with_memory(task: Mapping[str, Any], limit_mb: int) -> dict[str, Any]:
    return {**task, "memory_limit_mb": min(task["memory_limit_mb"], limit_mb)}


def _failure_message(task: Mapping[str, Any], code: int | None) -> str:
    name = Path(task["path"]).name
    if code == -signal.SIGALRM:
        remedy = "leave the file out" if "images" in task else "raise documents.time_limit_s or leave the file out"
        return f"{name!r} takes longer than {task['time_limit_s']:g} s to read; {remedy}"
    reason = signal.Signals(-code).name if code is not None and code < 0 else f"exit code {code}"
    return f"{name!r} ended the process that parsed it ({reason}); leave the file out, or save it again"


@dataclass(frozen=True, slots=True)
class WorkerMemory:
    """Memory limits: `each_mb` MiB for each of `workers` processes, `most_mb` for one of them at a time."""

    workers: int
    each_mb: int
    most_mb: int


def plan_memory(workers: int, limit_mb: int, machine_mb: int, extra_mb: int = 0) -> WorkerMemory:
    """Return the memory limits of up to `workers` processes on a machine with `machine_mb` MiB.

    A document may take `limit_mb`, a process `extra_mb` in addition. If there is not enough memory for all, each
    process gets a share of at least 1024 MiB, and one of them at a time the whole limit; if there is too little for
    that, there are fewer processes.

    >>> plan_memory(4, 4096, 32_768)
    WorkerMemory(workers=4, each_mb=4096, most_mb=4096)
    >>> plan_memory(8, 4096, 16_384)
    WorkerMemory(workers=8, each_mb=1287, most_mb=4096)
    """
    room = int(machine_mb * _SHARE_OF_MACHINE)
    if workers * (limit_mb + extra_mb) <= room:
        return WorkerMemory(workers, limit_mb, limit_mb)
    least = min(limit_mb, _LEAST_MB)
    most_mb = max(min(limit_mb, room - extra_mb), least)
    others = max(0, min(workers - 1, (room - extra_mb - most_mb) // (least + extra_mb)))
    if not others:
        return WorkerMemory(1, most_mb, most_mb)
    each_mb = (room - extra_mb - most_mb) // others - extra_mb
    return WorkerMemory(others + 1, min(each_mb, limit_mb), most_mb)
