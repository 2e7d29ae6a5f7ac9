"""Terminal-safe text: control characters in documents, replies and file names are escaped."""

from __future__ import annotations

import json
import logging
import re
from typing import Any

# Control characters except tab and line feed, including DEL and C1; line separators; bidirectional controls;
# surrogates, which cannot be encoded.
_UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def visible(text: str) -> str:
    r"""Return `text` with control characters escaped, except tabs and line feeds.

    >>> visible("\x1b[31mred \u202etxt.exe")
    '\\x1b[31mred \\u202etxt.exe'
    """
    return _UNSAFE.sub(_escape, text)


def one_line(text: str) -> str:
    r"""Return `text` escaped by `visible` and on one line, so that it cannot imitate a line of our output.

    >>> one_line("quote\n  [other, page 1] forged")
    'quote [other, page 1] forged'
    """
    return visible(" ".join(text.split()))


def json_text(value: Any, indent: int | None = None) -> str:
    r"""Return `value` as terminal-safe, lossless JSON; printable non-ASCII characters are not escaped.

    >>> print(json_text({"é": "\x1b\x7f"}))
    {"é": "\u001b\u007f"}
    """
    text = json.dumps(value, ensure_ascii=False, indent=indent, default=str)
    return _UNSAFE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def guard_logs() -> None:
    """Escape log records of loggers without a handler, which logging writes to standard error."""
    if logging.lastResort is not None:
        logging.lastResort.setFormatter(_VisibleFormatter())


class _VisibleFormatter(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        return visible(super().format(record))


def _escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
