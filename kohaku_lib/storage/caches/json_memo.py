"""What was learnt about files, kept in a JSON file from run to run."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from kohaku_lib.storage.sealed_json import read_sealed, write_sealed


class JsonMemo:
    """JSON values by name, kept in the file at `path`, or in this process only where that is None.

    A file that is missing or damaged counts as empty; whoever reads a value checks its shape. Threads may share it.

    >>> memo = JsonMemo(None)
    >>> memo.set("a", 1)
    >>> memo.get("a"), memo.get("b")
    (1, None)
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._known = (read_sealed(path) or {}) if path is not None else {}
        self._changed = False
        self._lock = threading.Lock()

    def get(self, name: str) -> Any:
        """Return the value of `name`, None where none is known."""
        return self._known.get(name)

    def set(self, name: str, value: Any) -> None:
        """Remember `value` under `name`."""
        with self._lock:
            self._known[name] = value
            self._changed = True

    def keep_only(self, is_wanted: Callable[[str], bool]) -> None:
        """Forget, where anything was set since, the values under names that are not wanted."""
        with self._lock:
            if self._changed:
                self._known = {name: value for name, value in self._known.items() if is_wanted(name)}

    def save(self) -> None:
        """Keep what was learnt for the next run; where it cannot be written, as by a mere reader, it is let go."""
        with self._lock:
            if self._changed and self._path is not None:
                with suppress(OSError):
                    write_sealed(self._path, self._known)
                self._changed = False
