"""Cells of CSV files that are longer than Python's reader takes."""

from __future__ import annotations

import csv
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def cells_of_any_length() -> Iterator[None]:
    """Lift the cell size limit of Python's csv reader, which is process-wide."""
    with _LOCK:
        before = csv.field_size_limit(2**31 - 1)
        try:
            yield
        finally:
            csv.field_size_limit(before)


_LOCK = threading.Lock()
