"""Cells of CSV files that are longer than any that is meant."""

from __future__ import annotations

import csv
import threading
from collections.abc import Iterator
from contextlib import contextmanager

LONGEST_CELL = 131_072  # characters; Python's own limit too
_LOCK = threading.Lock()


@contextmanager
def cells_of_any_length() -> Iterator[None]:
    """Let Python's reader pass over cells beyond its limit, which is one for the whole process."""
    with _LOCK:
        before = csv.field_size_limit(2**31 - 1)
        try:
            yield
        finally:
            csv.field_size_limit(before)
