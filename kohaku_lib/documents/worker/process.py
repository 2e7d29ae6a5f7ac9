"""The worker process: one JSON task per input line, one JSON reply per output line.

Time and memory limits use SIGALRM and RLIMIT_AS (POSIX only; macOS does not enforce the latter).
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import signal
import sys
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import IO, Any

from kohaku_lib.documents.attachments.attached_files import attached_files
from kohaku_lib.documents.attachments.file_within import file_at, holder_of
from kohaku_lib.documents.formats.interface import format_of
from kohaku_lib.documents.formats.pdf.figures.figure_images import figure_images
from kohaku_lib.documents.ocr import is_engine_loaded
from kohaku_lib.documents.ocr.engine_selection import THREADS_VARIABLE
from kohaku_lib.documents.worker.kept_processes import IDLE_LIMIT_S
from kohaku_lib.documents.worker.memory_limit import OCR_MEMORY_MB, lift_memory_limit, limit_memory
from kohaku_lib.documents.worker.replies import payload_reply, reply_if_unchanged, reply_of
from kohaku_lib.settings import ImagesSettings

_MOST_REPLY_BYTES = 256 << 20  # the parent process holds the replies to many files
_FREE_REPLY_BYTES, _REPLY_BYTES_PER_BYTE = 4 << 20, 128  # for text replies: office documents compress tenfold


def serve(tasks: IO[str], replies: IO[str]) -> None:
    """Process tasks until `tasks` ends; a task that exceeds its time limit ends the process by SIGALRM.

    An empty line says that there is no task for now: then the process ends after `IDLE_LIMIT_S` unless one comes.
    """
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    for line in tasks:
        signal.setitimer(signal.ITIMER_REAL, 0 if line.strip() else IDLE_LIMIT_S)
        if not line.strip():
            continue
        task = json.loads(line)
        replies.write(_limit_reply_size(json.dumps(reply_to(task)), task) + "\n")
        replies.flush()


def reply_to(task: Mapping[str, Any]) -> dict[str, Any]:
    """Return {"payload", "images", "pages", "own_id" or "attached": ...}, or {"status": "failed"/"needs_ocr", "error": ...}.

    A task has `path`, which may lead into a file (`file_at`), `time_limit_s`, `memory_limit_mb` and `settings`. Optional keys
    are `threads` (of an OCR engine), `document_id`, `sha256` (the file must still match), `remaining_s` (the rest of the
    time limit after an earlier attempt), and, instead of the text, `images` (the images to extract), `pages` (the pages to
    render), `own_id` (the id in a payload file) or `attached` (what is within the file).
    See `reply_of` for replies to failures.
    """
    path = Path(task["path"])

    def work() -> dict[str, Any]:
        if "threads" in task:
            os.environ[THREADS_VARIABLE] = str(task["threads"])
        lift_memory_limit()  # imports that fail for lack of memory look like other faults
        _import_format_modules(path)
        limit_memory(task["memory_limit_mb"] + (OCR_MEMORY_MB if is_engine_loaded() else 0))
        with _time_limit(task.get("remaining_s", task["time_limit_s"])), file_at(path) as file:
            return _reply_to_file({**task, "path": str(file)})

    return reply_of(task, work)


def _reply_to_file(task: Mapping[str, Any]) -> dict[str, Any]:
    return reply_of(task, partial(reply_if_unchanged, task, partial(_process_task, Path(task["path"]), task)))


@contextlib.contextmanager
def _time_limit(seconds: float) -> Iterator[None]:
    """Have the kernel end this process after `seconds`, even inside a C function or after the parent's death."""
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _process_task(path: Path, task: Mapping[str, Any]) -> dict[str, Any]:
    kind = format_of(path)
    if "own_id" in task and kind is not None and kind.own_id is not None:
        return {"own_id": kind.own_id(path)}
    if "attached" in task:
        return {"attached": [one.to_json() for one in attached_files(path)]}
    if "pages" in task and kind is not None and kind.draw_pages is not None:
        return {"pages": kind.draw_pages(path, task["pages"])}
    return _image_reply(path, task) if "images" in task else payload_reply(task)


def _limit_reply_size(reply: str, task: Mapping[str, Any]) -> str:
    path, most = holder_of(Path(task["path"])), _MOST_REPLY_BYTES
    if "images" not in task and "pages" not in task and path.is_file():
        most = min(most, _FREE_REPLY_BYTES + _REPLY_BYTES_PER_BYTE * path.stat().st_size)
    if len(reply) <= most:
        return reply
    error = (
        f"the content of {path.name!r} takes {len(reply) >> 20} MiB, more than the {most >> 20} MiB allowed for a file of "
        "its size; split it or leave it out"
    )
    return json.dumps({"status": "failed", "error": error, "lasting": True, "spent": True})


def _image_reply(path: Path, task: Mapping[str, Any]) -> dict[str, Any]:
    return {"images": figure_images(path, task["images"], ImagesSettings.from_json(task["settings"]))}


def _import_format_modules(path: Path) -> None:
    """Import the modules of the format before the time limit starts."""
    kind = format_of(path)
    for module in kind.modules if kind is not None else ():
        with contextlib.suppress(ImportError):  # the parser reports it
            importlib.import_module(module)


def main() -> None:
    """Serve standard input; output printed by libraries is redirected to standard error."""
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    # Pages create many short-lived objects; with the default thresholds garbage collection takes a seventh of the time.
    gc.set_threshold(100_000, 50, 50)
    serve(sys.stdin, replies)


if __name__ == "__main__":
    main()
