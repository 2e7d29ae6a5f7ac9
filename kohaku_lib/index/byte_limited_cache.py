"""An LRU cache limited by the memory of its values."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from typing import Generic, Protocol, TypeVar

from cachetools import LRUCache


class Sized(Protocol):
    """A value with a memory size."""

    @property
    def nbytes(self) -> int:
        """Bytes of memory of the value."""
        ...


Value = TypeVar("Value", bound=Sized)
ENTRY_BYTES = 512  # estimated overhead per entry, so that empty values count too


class ByteLimitedCache(Generic[Value]):
    """Values by key, up to `most_bytes` in total, with LRU eviction.

    An entry counts as its `nbytes` plus 512 bytes; values beyond the limit are not stored. Thread-safe; concurrent misses
    of the same key may both compute it.

    Example:
        >>> import numpy as np
        >>> cache = ByteLimitedCache(1024)
        >>> cache.get("a", lambda: np.zeros(1)) is cache.get("a", lambda: np.zeros(1))
        True

    """

    def __init__(self, most_bytes: int) -> None:
        self._values: LRUCache[Hashable, Value] = LRUCache(most_bytes, getsizeof=_size)
        self._lock = threading.Lock()

    def get(self, key: Hashable, compute: Callable[[], Value]) -> Value:
        """Return the value of `key`, computed on a miss."""
        with self._lock:
            if key in self._values:
                return self._values[key]
        value = compute()
        with self._lock:
            if key not in self._values and _size(value) <= self._values.maxsize:
                self._values[key] = value
        return value


def _size(value: Sized) -> int:
    return ENTRY_BYTES + value.nbytes
