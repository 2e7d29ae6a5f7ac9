"""Imports libraries without the heavy companions that they only use where they find them."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.abc import MetaPathFinder
from types import ModuleType
from typing import Any


@contextmanager
def without(*packages: str) -> Iterator[None]:
    """Let imports by this thread find none of `packages` meanwhile; what is loaded stays loaded.

    It is for a library that tries to import a package, or a part of its own, and goes on where there is none: it stays
    without it for as long as the process lasts.

    >>> with without("wave"):
    ...     import wave
    Traceback (most recent call last):
    ModuleNotFoundError: 'wave' is hidden from whoever imports it here
    """
    if _HIDING not in sys.meta_path:
        sys.meta_path.insert(0, _HIDING)
    before = _HIDING.hidden
    _HIDING.hidden = (*before, *(name for name in packages if name not in sys.modules))
    try:
        yield
    finally:
        _HIDING.hidden = before


def bm25s_library() -> ModuleType:
    """Return the library bm25s, spared SciPy and a progress bar, which take longer to load than many a command."""
    with without("scipy", "tqdm"):
        import bm25s
    return bm25s


class _Hiding(threading.local, MetaPathFinder):
    """Finds none of the packages that the asking thread has hidden.

    It stays in the list of finders: another thread that goes through the list would miss one where this was removed.
    """

    hidden: tuple[str, ...] = ()

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> None:
        """Raise ModuleNotFoundError for what is hidden; know nothing of other modules."""
        if any(f"{fullname}.".startswith(f"{name}.") for name in self.hidden):
            msg = f"{fullname!r} is hidden from whoever imports it here"
            raise ModuleNotFoundError(msg, name=fullname)


_HIDING = _Hiding()
