"""A small key-value cache in a JSON file."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from kohaku_lib.storage.sealed_json import read_sealed, write_sealed


class JsonMemo:
    """JSON values by name, cached in the file at `path`, or in this process only if that is None.

    A missing or damaged file counts as empty; the caller checks the shape of a value. Thread-safe.

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
        """Return the value of `name`, None if unknown."""
        return self._known.get(name)

    def set(self, name: str, value: Any) -> None:
        """Store `value` under `name`."""
        with self._lock:
            self._known[name] = value
            self._changed = True

    @property
    def is_changed(self) -> bool:
        """Whether anything was set or dropped since the last save."""
        return self._changed

    def keep_only(self, is_wanted: Callable[[str], bool]) -> None:
        """Drop the values whose names are not wanted."""
        with self._lock:
            kept = {name: value for name, value in self._known.items() if is_wanted(name)}
            self._changed |= len(kept) < len(self._known)
            self._known = kept

    def save(self) -> None:
        """Persist the values if any changed; write errors, such as of a read-only store, are ignored."""
        with self._lock:
            if self._changed and self._path is not None:
                with suppress(OSError):
                    write_sealed(self._path, self._known)
                self._changed = False
