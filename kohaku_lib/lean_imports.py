"""Imports libraries without the heavy companions that they only use where they find them."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.abc import MetaPathFinder
from types import ModuleType
from typing import Any


@contextmanager
def without(*packages: str) -> Iterator[None]:
    """Let this thread find none of `packages` meanwhile, as if they were not installed; what is loaded stays loaded.

    It is for a library that tries to import a package, or a part of its own, and goes on where there is none.

    >>> with without("wave"):
    ...     import wave
    Traceback (most recent call last):
    ModuleNotFoundError: 'wave' is hidden from whoever imports it here
    """
    absent = _Absent([name for name in packages if name not in sys.modules], threading.get_ident())
    sys.meta_path.insert(0, absent)
    try:
        yield
    finally:
        sys.meta_path.remove(absent)


def bm25s_library() -> ModuleType:
    """Return the library bm25s, spared SciPy and a progress bar, which take longer to load than many a command."""
    with without("scipy", "tqdm"):
        import bm25s
    return bm25s


class _Absent(MetaPathFinder):
    """Finds none of `packages` for one thread."""

    def __init__(self, packages: Sequence[str], thread: int) -> None:
        self._packages, self._thread = packages, thread

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> None:
        """Raise ModuleNotFoundError for what is hidden; know nothing of other modules."""
        hidden = any(f"{fullname}.".startswith(f"{name}.") for name in self._packages)
        if hidden and threading.get_ident() == self._thread:
            msg = f"{fullname!r} is hidden from whoever imports it here"
            raise ModuleNotFoundError(msg, name=fullname)
