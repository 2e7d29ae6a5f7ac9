"""The process that parses: one JSON task per line in, one JSON reply per line out.

Its limits of time and memory are the kernel's, by SIGALRM and RLIMIT_AS: POSIX only. macOS does not enforce the latter.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

from kohaku_lib.documents.formats.pdf.figures.read_images import read_images
from kohaku_lib.documents.ocr import is_engine_loaded
from kohaku_lib.documents.worker.kernel_timer import time_limit
from kohaku_lib.documents.worker.memory_limit import OCR_MEMORY_MB, lift_memory_limit, limit_memory
from kohaku_lib.documents.worker.replies import check_unchanged, payload_reply, reply_of
from kohaku_lib.kinds import format_of
from kohaku_lib.settings import ImagesSettings

_MOST_REPLY_BYTES = 256 << 20  # who asked holds the replies to many files
_FREE_REPLY_BYTES, _REPLY_BYTES_PER_BYTE = 4 << 20, 128  # of a text: documents of office programs are packed tenfold


def serve(tasks: IO[str], replies: IO[str]) -> None:
    """Answer every task until `tasks` ends; a task that passes its time limit ends the process by SIGALRM."""
    for line in tasks:
        task = json.loads(line)
        replies.write(_bounded(json.dumps(reply_to(task)), task) + "\n")
        replies.flush()


def reply_to(task: Mapping[str, Any]) -> dict[str, Any]:
    """Return {"payload", "images", "pictures" or "own_id": ...}, or {"status": "failed"/"needs_ocr", "error": ...}.

    A task holds `path`, `time_limit_s`, `memory_limit_mb` and `settings`; it may hold `sha256` (then the file must
    still have it), `remaining_s` (of the time, where an earlier attempt took some), and `document_id`, or instead of
    the text is asked for `images`, those to read, `pictures`, the pages to draw, or the `own_id` of a payload. What
    stands in a reply to a failure is said at `reply_of`.
    """
    path = Path(task["path"])

    def work() -> dict[str, Any]:
        lift_memory_limit()  # a library that is imported with too little fails in ways that look like another fault
        _warm_up(path)
        limit_memory(task["memory_limit_mb"] + (OCR_MEMORY_MB if is_engine_loaded() else 0))
        with time_limit(task.get("remaining_s", task["time_limit_s"])):
            check_unchanged(task)
            return _done(path, task)

    return reply_of(task, work)


def _done(path: Path, task: Mapping[str, Any]) -> dict[str, Any]:
    kind = format_of(path)
    if "own_id" in task and kind is not None and kind.own_id is not None:
        return {"own_id": kind.own_id(path)}
    if "pictures" in task and kind is not None and kind.draw_pages is not None:
        return {"pictures": kind.draw_pages(path, task["pictures"])}
    return _images(path, task) if "images" in task else payload_reply(task)


def _bounded(reply: str, task: Mapping[str, Any]) -> str:
    path, most = Path(task["path"]), _MOST_REPLY_BYTES
    if "images" not in task and "pictures" not in task and path.is_file():
        most = min(most, _FREE_REPLY_BYTES + _REPLY_BYTES_PER_BYTE * path.stat().st_size)
    if len(reply) <= most:
        return reply
    error = (
        f"what is read in {path.name!r} takes {len(reply) >> 20} MiB, more than the {most >> 20} MiB that a file of its "
        "size may hold; split it or leave it out"
    )
    return json.dumps({"status": "failed", "error": error, "lasting": True, "spent": True})


def _images(path: Path, task: Mapping[str, Any]) -> dict[str, Any]:
    return {"images": read_images(path, task["images"], ImagesSettings.model_validate(task["settings"]))}


def _warm_up(path: Path) -> None:
    """Import what the format needs, so that the time limit is the document's own."""
    kind = format_of(path)
    for module in kind.modules if kind is not None else ():
        with contextlib.suppress(ImportError):  # the parser says it in one sentence
            importlib.import_module(module)


def main() -> None:
    """Serve standard input; whatever a library prints goes to standard error, never among the replies."""
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    # A page makes many small objects that die with it; looking for cycles among them took a seventh of the time.
    gc.set_threshold(100_000, 50, 50)
    serve(sys.stdin, replies)


if __name__ == "__main__":
    main()
