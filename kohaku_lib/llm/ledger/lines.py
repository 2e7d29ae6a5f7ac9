"""Lines of the call ledger, with a digest that reveals damage."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from kohaku_lib.digests import text_sha256
from kohaku_lib.storage import write_atomically

CHECK = "check"
ERASED = "erased with a document"  # the error of a call whose reply was erased: it did not fail


def ledger_line(call: Mapping[str, Any]) -> bytes:
    """Serialise a call.

    >>> b'"check": ' in ledger_line({"key": "k"}), is_sound(json.loads(ledger_line({"key": "k"})))
    (True, True)
    """
    return (json.dumps({**call, CHECK: _call_digest(call)}, ensure_ascii=False) + "\n").encode(
        "utf-8", "backslashreplace"
    )


def is_sound(call: Mapping[str, Any]) -> bool:
    """Return whether a parsed line is unaltered; one without a digest counts as such.

    >>> is_sound({"key": "k", "check": "0"})
    False
    """
    return CHECK not in call or call[CHECK] == _call_digest({name: call[name] for name in call if name != CHECK})


def damaged_lines(path: Path, parse: Callable[[bytes], object]) -> tuple[int, int]:
    """Return how many lines of the file at `path` are damaged, i.e. `parsed` returns None, and the total."""
    lines = path.read_bytes().splitlines()
    return sum(parse(line) is None for line in lines), len(lines)


def keep_sound_lines(path: Path, parse: Callable[[bytes], object]) -> int:
    """Remove the damaged lines of `path` durably, and return the number of the others."""
    lines = [line for line in path.read_bytes().splitlines() if parse(line) is not None]
    write_atomically(path, lambda temporary: temporary.write_bytes(b"".join(line + b"\n" for line in lines)))
    return len(lines)


def _call_digest(call: Mapping[str, Any]) -> str:
    return text_sha256(json.dumps(call, sort_keys=True, ensure_ascii=False))[:16]
