"""The process that parses: one JSON task per line in, one JSON reply per line out.

Its limits of time and memory are the kernel's, by SIGALRM and RLIMIT_AS: POSIX only. macOS does not enforce the latter.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import resource
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

from kohaku_lib.documents.pdf.read_images import read_images
from kohaku_lib.documents.replies import check_unchanged, memory_limit_mb, payload_reply, reply_of
from kohaku_lib.documents.time_limit import time_limit
from kohaku_lib.documents.viewer_pictures import page_pictures
from kohaku_lib.settings import ImagesSettings


def serve(tasks: IO[str], replies: IO[str]) -> None:
    """Answer every task until `tasks` ends; a task that passes its time limit ends the process by SIGALRM."""
    for line in tasks:
        reply = reply_to(json.loads(line))
        replies.write(json.dumps(reply) + "\n")
        replies.flush()


def reply_to(task: Mapping[str, Any]) -> dict[str, Any]:
    """Return {"payload": ...}, {"images": ...}, {"pictures": ...} or {"status": "failed"/"needs_ocr", "error": ...}.

    A task holds `path`, `time_limit_s` and `settings`; it may hold `sha256` (then the file must still have it),
    and `document_id`, or instead of the text is asked for `images`, those to read, or `pictures`, the pages to
    draw. What stands in a reply to a failure is said at `reply_of`.
    """
    path = Path(task["path"])

    def work() -> dict[str, Any]:
        _limit_memory(memory_limit_mb(task["settings"]))
        _warm_up(path)
        with time_limit(task["time_limit_s"]):
            check_unchanged(task)
            return _done(path, task)

    return reply_of(task, work)


def _done(path: Path, task: Mapping[str, Any]) -> dict[str, Any]:
    if "pictures" in task:
        return {"pictures": page_pictures(path, task["pictures"])}
    return _images(path, task) if "images" in task else payload_reply(task)


def _images(path: Path, task: Mapping[str, Any]) -> dict[str, Any]:
    return {"images": read_images(path, task["images"], ImagesSettings.model_validate(task["settings"]))}


def _limit_memory(limit_mb: int) -> None:
    limit = limit_mb << 20
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    allowed = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
    resource.setrlimit(resource.RLIMIT_AS, (allowed, hard))


def _warm_up(path: Path) -> None:
    """Import what the format needs, so that the time limit is the document's own."""
    for module in _MODULES.get(path.suffix.lower(), ()):
        with contextlib.suppress(ImportError):  # told by the parser, in one sentence
            importlib.import_module(module)


_HTML = ("lxml.html",)
_MARKDOWN = (
    *_HTML,
    "markdown_it",
    "yaml",
    *(f"mdit_py_plugins.{name}" for name in ("amsmath", "dollarmath", "footnote")),
)
_MODULES = {
    ".pdf": ("pymupdf",),
    ".md": _MARKDOWN,
    ".markdown": _MARKDOWN,
    ".html": _HTML,
    ".htm": _HTML,
    ".xhtml": _HTML,
    ".docx": (*_HTML, "mammoth"),
    ".pptx": ("pptx",),
    ".xlsx": ("openpyxl",),
    ".xlsm": ("openpyxl",),
}


def main() -> None:
    """Serve standard input; whatever a library prints goes to standard error, never among the replies."""
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    # A page makes many small objects that die with it; looking for cycles among them took a seventh of the time.
    gc.set_threshold(100_000, 50, 50)
    serve(sys.stdin, replies)


if __name__ == "__main__":
    main()
