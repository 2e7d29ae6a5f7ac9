"""Keeps what was computed at hand, as much as fits into a given memory."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, Protocol, TypeVar


class Sized(Protocol):
    """A value that knows its memory."""

    @property
    def nbytes(self) -> int:
        """The memory of the value."""
        ...


Value = TypeVar("Value", bound=Sized)
ENTRY_BYTES = (
    512  # of a key, of the value's own objects and of their place, so that empty values are not kept for nothing
)


class ByteLimitedCache(Generic[Value]):
    """Values by key, up to `most_bytes` of them; the one that was asked for longest ago goes first.

    Each counts as its `nbytes` and 512 further bytes; one that is larger than all of it is not kept. Threads may share
    it; two that ask for the same missing key may both compute it.

    >>> import numpy as np
    >>> kept = ByteLimitedCache(1024)
    >>> kept.get("a", lambda: np.zeros(1)) is kept.get("a", lambda: np.zeros(1))
    True
    """

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes, self._bytes = most_bytes, 0
        self._values: OrderedDict[Hashable, Value] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Hashable, compute: Callable[[], Value]) -> Value:
        """Return the value of `key`, computed where it is not at hand."""
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
                return self._values[key]
        value = compute()
        with self._lock:
            if key not in self._values:
                self._values[key] = value
                self._bytes += ENTRY_BYTES + value.nbytes
            while self._bytes > self._most_bytes:
                self._bytes -= ENTRY_BYTES + self._values.popitem(last=False)[1].nbytes
        return value
