"""Build the reply to a parse task: a payload or an error message."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from subprocess import SubprocessError
from typing import Any

from kohaku_lib.digests import file_sha256
from kohaku_lib.documents.failures import NeedsOcrError
from kohaku_lib.documents.parse_file import parse_file
from kohaku_lib.documents.payloads import payload_to_json
from kohaku_lib.errors import DocumentError, KohakuError
from kohaku_lib.settings import DocumentsSettings

_OUT_OF_MEMORY = re.compile(  # messages of C libraries; the last one is lxml's
    r"bad_alloc|(?:m|c|re)alloc\b|cannot allocate|out of memory|allocation failed|unknown error \(<string>, line 0\)",
    re.IGNORECASE,
)


def reply_of(task: Mapping[str, Any], work: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """Return the result of `work`, or {"status": "failed"/"needs_ocr", "error": ...} if it raises.

    In a failure reply, `fatal` marks an error of the environment rather than the document, `lasting` a verdict that follows
    from the bytes and the settings alone, so that a retry would repeat it, `limit` one that follows from the limits of the
    settings in addition, and `spent` that the process should end because it may not release its memory.
    """
    path = Path(task["path"])
    try:
        return work()
    except NeedsOcrError as fault:
        return {"status": "needs_ocr", "error": str(fault), "lasting": _is_of_bytes(task, fault)}
    except DocumentError as fault:
        return {"status": "failed", "error": str(fault), "lasting": _is_of_bytes(task, fault)}
    except KohakuError as fault:
        return {"status": "failed", "error": str(fault), "fatal": type(fault).__name__}
    except Exception as fault:
        if isinstance(fault, MemoryError) or _OUT_OF_MEMORY.search(str(fault)):
            return _out_of_memory(path, task)
        reason = " ".join(f"{type(fault).__name__}: {fault}".split())[:300]
        return {
            "status": "failed",
            "error": f"{path.name!r} cannot be parsed ({reason}); save it again",
            "lasting": _is_of_bytes(task, fault),
        }


def payload_reply(task: Mapping[str, Any]) -> dict[str, Any]:
    """Return {"payload": ...}; raise the errors of `parse_file`."""
    settings = DocumentsSettings.from_json(task["settings"])
    return {"payload": payload_to_json(parse_file(Path(task["path"]), task.get("document_id"), settings))}


def reply_if_unchanged(task: Mapping[str, Any], work: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """Return the result of `work` if the file has the `sha256` of `task` before and after it.

    Raises:
        DocumentError: The file has changed: the result would be kept under the hash of other bytes.

    """
    check_unchanged(task)
    reply = work()
    check_unchanged(task)
    return reply


def check_unchanged(task: Mapping[str, Any]) -> None:
    """Check that the file still has the `sha256` of `task`, if that states one.

    Raises:
        DocumentError: The file has changed.

    """
    path, sha256 = Path(task["path"]), task.get("sha256")
    if sha256 is not None and path.is_file() and file_sha256(path) != sha256:
        msg = f"{path.name!r} changed while it was being read; run again"
        raise DocumentError(msg)


def _is_of_bytes(task: Mapping[str, Any], fault: BaseException) -> bool:
    """Tell whether a failure follows from the listed bytes: no call of the system failed, and the file still has them."""
    causes: list[BaseException] = [fault]
    while (cause := causes[-1].__cause__ or causes[-1].__context__) is not None and cause not in causes:
        causes.append(cause)
    if any(isinstance(one, (MemoryError, SubprocessError)) or getattr(one, "errno", None) for one in causes):
        return False
    path, sha256 = Path(task["path"]), task.get("sha256")
    try:
        return path.is_file() and (sha256 is None or file_sha256(path) == sha256)
    except OSError:
        return False


def _out_of_memory(path: Path, task: Mapping[str, Any]) -> dict[str, Any]:
    limit_mb = task["memory_limit_mb"]
    may_grow = limit_mb == task["settings"].get("memory_limit_mb")  # otherwise the machine's memory is the limit
    remedy = "raise documents.memory_limit_mb or leave the file out" if may_grow else "leave the file out"
    error = f"{path.name!r} needs more memory than the {limit_mb} MiB that a parser may take; {remedy}"
    return {"status": "failed", "error": error, "limit": may_grow, "spent": True}
