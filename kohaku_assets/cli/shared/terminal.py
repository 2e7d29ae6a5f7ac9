"""Text that a terminal may show: what documents, servers and file names bring cannot steer it."""

from __future__ import annotations

import json
import logging
import re
from typing import Any

# Controls but tab and line feed, with DEL and C1; line separators; marks that turn the order of letters around; halves
# of characters, which no terminal can be sent.
_UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def visible(text: str) -> str:
    r"""Return `text` with every character that could steer a terminal written out; tabs and line feeds stay.

    >>> visible("\x1b[31mred \u202etxt.exe")
    '\\x1b[31mred \\u202etxt.exe'
    """
    return _UNSAFE.sub(_written_out, text)


def one_line(text: str) -> str:
    r"""Return `text` as `visible` does, and on one line, so that it cannot pass for a line of our own.

    >>> one_line("quote\n  [other, page 1] forged")
    'quote [other, page 1] forged'
    """
    return visible(" ".join(text.split()))


def json_text(value: Any, indent: int | None = None) -> str:
    r"""Return `value` as JSON that a terminal may show and that reads back as it was; letters stay as they are.

    >>> print(json_text({"é": "\x1b\x7f"}))
    {"é": "\u001b\u007f"}
    """
    text = json.dumps(value, ensure_ascii=False, indent=indent, default=str)
    return _UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def guard_logs() -> None:
    """Let warnings that no handler was made for, which go to standard error, pass through `visible`."""
    if logging.lastResort is not None:
        logging.lastResort.setFormatter(_VisibleFormatter())


class _VisibleFormatter(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        return visible(super().format(record))


def _written_out(found: re.Match[str]) -> str:
    code = ord(found[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
