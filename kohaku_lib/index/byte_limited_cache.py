"""A cache of computed values with a limit on their memory."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from typing import Generic, Protocol, TypeVar

from cachetools import LRUCache


class Sized(Protocol):
    """A value that knows its memory."""

    @property
    def nbytes(self) -> int:
        """The memory of the value."""
        ...


Value = TypeVar("Value", bound=Sized)
ENTRY_BYTES = 512  # of a key, the objects of a value and its place, so that empty values count too


class ByteLimitedCache(Generic[Value]):
    """Values by key, up to `most_bytes` of them; the least recently used goes first.

    Each counts as its `nbytes` and 512 further bytes; one that is larger than the limit is not stored. Threads may
    share the cache; two that ask for the same missing key may both compute it.

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
        """Return the value of `key`, computed where the cache does not hold it."""
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
