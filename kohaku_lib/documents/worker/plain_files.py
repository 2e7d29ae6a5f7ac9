"""Small files in plain formats, which are parsed in the calling process because they cannot reach a limit."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from kohaku_lib.documents.formats.interface import format_of
from kohaku_lib.documents.worker.replies import payload_reply, reply_if_unchanged, reply_of

MOST_BYTES = 4_000_000
_MEMORY_FACTOR = 100  # bytes of memory per byte of JSON in the worst case, lists of empty objects
_LEAST_LIMIT_S = 10.0  # 4 MB take a quarter of it in the worst case: only headings, or an unknown encoding


def is_plain(task: Mapping[str, Any]) -> bool:
    """Return whether a task (see `worker.process.reply_to`) can run in the calling process.

    The file must be a regular file of up to 4 MB in a plain format, such as text or payload JSON, and the limits
    sufficient for any such file.
    """
    path = Path(task["path"])
    kind = format_of(path)
    if kind is None or not kind.is_plain or "images" in task or "pages" in task or task["settings"] is None:
        return False
    try:
        status = os.stat(path)
    except OSError:
        return False
    limit = task["memory_limit_mb"] << 20
    fits = status.st_size <= MOST_BYTES and status.st_size * _MEMORY_FACTOR <= limit
    return stat.S_ISREG(status.st_mode) and fits and task["time_limit_s"] >= _LEAST_LIMIT_S


def reply_to_plain(task: Mapping[str, Any]) -> dict[str, Any]:
    """Return the worker's reply to a plain task."""
    return reply_of(task, partial(reply_if_unchanged, task, partial(payload_reply, task)))
