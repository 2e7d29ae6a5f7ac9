"""What was learnt about files, kept in a JSON file from run to run."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

from kohaku_lib.storage.atomic import write_atomically


class JsonMemo:
    """JSON values by name, kept in the file at `path`, or in this process only where that is None.

    A file that is missing or damaged counts as empty; whoever reads a value checks its shape.

    >>> memo = JsonMemo(None)
    >>> memo.set("a", 1)
    >>> memo.get("a"), memo.get("b")
    (1, None)
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._known = _read(path) if path is not None else {}
        self._changed = False

    def get(self, name: str) -> Any:
        """Return the value of `name`, None where none is known."""
        return self._known.get(name)

    def set(self, name: str, value: Any) -> None:
        """Remember `value` under `name`."""
        self._known[name] = value
        self._changed = True

    def save(self) -> None:
        """Keep what was learnt for the next run; where it cannot be written, as by a mere reader, it is let go."""
        if self._changed and self._path is not None:
            text = json.dumps(self._known)
            with suppress(OSError):
                write_atomically(self._path, lambda temporary: temporary.write_text(text, encoding="utf-8"))
            self._changed = False


def _read(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}
