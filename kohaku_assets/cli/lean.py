"""Keeps the command line quick: pyarrow shall not load pandas, which nothing here uses."""

from __future__ import annotations

import sys
from importlib.abc import MetaPathFinder
from typing import Any


def spare_pandas() -> None:
    """Let pyarrow believe that there is no pandas, for as long as nobody asks it for a data frame.

    It imports pandas, where that is installed, as soon as a list becomes an array, to tell whether it is one of
    pandas' own, which takes longer than many a command. It looks once; `to_pandas()` looks again. Where pandas is
    loaded already, nothing changes.
    """
    if "pandas" in sys.modules:
        return
    import pyarrow as pa

    absent = _Absent()
    sys.meta_path.insert(0, absent)
    try:
        pa.array([0])
    finally:
        sys.meta_path.remove(absent)


class _Absent(MetaPathFinder):
    """Finds no pandas."""

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> None:
        """Raise ModuleNotFoundError for pandas; know nothing of other modules."""
        if fullname == "pandas":
            msg = "hidden from pyarrow"
            raise ModuleNotFoundError(msg, name=fullname)
