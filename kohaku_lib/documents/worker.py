"""The process that parses: one JSON task per line in, one JSON reply per line out.

Its limits of time and memory are the kernel's, by SIGALRM and RLIMIT_AS: POSIX only. macOS does not enforce the latter.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import re
import resource
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

from kohaku_lib.digests import file_sha256
from kohaku_lib.documents.failures import MissingPackageError, NeedsOcrError
from kohaku_lib.documents.ocr import chosen_engine
from kohaku_lib.documents.parse_file import parse_file
from kohaku_lib.documents.payloads import payload_to_json
from kohaku_lib.documents.pdf.read_images import read_images
from kohaku_lib.documents.time_limit import time_limit
from kohaku_lib.documents.viewer_pictures import page_pictures
from kohaku_lib.errors import DocumentError, KohakuError
from kohaku_lib.settings import DocumentsSettings, ImagesSettings

_MEMORY_LIMIT_MB = 4096
_OUT_OF_MEMORY = re.compile(
    r"bad_alloc|(?:m|c|re)alloc\b|cannot allocate|out of memory", re.IGNORECASE
)  # in C libraries' words
_OCR_FACTOR = 3  # its models and threads reserve far more than they use


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
    draw. In a reply `fatal` tells an error that is the environment's, not the document's, `lasting` one that would
    come again, and `spent` that this process had better end, as it may not get its memory back.
    """
    path = Path(task["path"])
    try:
        _limit_memory(_memory_limit_mb(task["settings"]))
        _warm_up(path)
        with time_limit(task["time_limit_s"]):
            _check_unchanged(path, task.get("sha256"))
            return _done(path, task)
    except NeedsOcrError as fault:
        return {"status": "needs_ocr", "error": str(fault), "lasting": True}
    except DocumentError as fault:
        return {"status": "failed", "error": str(fault), "lasting": not isinstance(fault, MissingPackageError)}
    except KohakuError as fault:
        return {"status": "failed", "error": str(fault), "fatal": type(fault).__name__}
    except Exception as fault:
        if isinstance(fault, MemoryError) or _OUT_OF_MEMORY.search(str(fault)):
            return _out_of_memory(path, task)
        reason = " ".join(f"{type(fault).__name__}: {fault}".split())[:300]
        return {
            "status": "failed",
            "error": f"{path.name!r} cannot be parsed ({reason}); save it anew",
            "lasting": True,
        }


def _done(path: Path, task: Mapping[str, Any]) -> dict[str, Any]:
    if "pictures" in task:
        return {"pictures": page_pictures(path, task["pictures"])}
    return _images(path, task) if "images" in task else _payload(path, task)


def _payload(path: Path, task: Mapping[str, Any]) -> dict[str, Any]:
    settings = DocumentsSettings.model_validate(task["settings"])
    return {"payload": payload_to_json(parse_file(path, task.get("document_id"), settings))}


def _images(path: Path, task: Mapping[str, Any]) -> dict[str, Any]:
    return {"images": read_images(path, task["images"], ImagesSettings.model_validate(task["settings"]))}


def _check_unchanged(path: Path, sha256: str | None) -> None:
    if sha256 is not None and path.is_file() and file_sha256(path) != sha256:
        msg = f"{path.name!r} changed while it was being read; run again"
        raise DocumentError(msg)


def _memory_limit_mb(settings: Mapping[str, Any]) -> int:
    limit_mb = settings.get("memory_limit_mb", _MEMORY_LIMIT_MB)
    return limit_mb * (1 if chosen_engine(settings.get("ocr", "off")) == "off" else _OCR_FACTOR)


def _out_of_memory(path: Path, task: Mapping[str, Any]) -> dict[str, Any]:
    limit_mb = _memory_limit_mb(task["settings"])
    remedy = "leave the file out" if "images" in task else "raise documents.memory_limit_mb or leave the file out"
    error = f"{path.name!r} needs more memory than the {limit_mb} MiB that a parser may take; {remedy}"
    return {"status": "failed", "error": error, "spent": True}


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
