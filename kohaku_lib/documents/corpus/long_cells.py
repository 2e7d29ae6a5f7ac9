"""Handle oversized CSV cells."""

from __future__ import annotations

import csv
import threading
from collections.abc import Iterator
from contextlib import contextmanager

LONGEST_CELL = 131_072  # characters; Python's own limit too
_LOCK = threading.Lock()


@contextmanager
def cells_of_any_length() -> Iterator[None]:
    """Lift the cell size limit of Python's csv reader, which is process-wide."""
    with _LOCK:
        before = csv.field_size_limit(2**31 - 1)
        try:
            yield
        finally:
            csv.field_size_limit(before)
