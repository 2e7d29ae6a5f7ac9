"""Which memory this process takes, and how it gives back what is free."""

from __future__ import annotations

import ctypes
import os

import pyarrow as pa


def prefer_jemalloc() -> None:
    """Let Arrow take its memory from jemalloc where it has that, unless ARROW_DEFAULT_MEMORY_POOL names another.

    Tables of many sizes follow each other here: jemalloc holds less for them than mimalloc, and gives back at once what
    is free, so that the peak does not grow with the number of tables.
    """
    if "ARROW_DEFAULT_MEMORY_POOL" not in os.environ and "jemalloc" in pa.supported_memory_backends():
        pa.set_memory_pool(pa.jemalloc_memory_pool())


def give_back_memory() -> None:
    """Give what Arrow and the C library keep for later back to the system, where they can.

    Each of the two keeps what was freed in its own way, and neither takes from the other: what stages of different
    kinds leave behind would add up.
    """
    pa.default_memory_pool().release_unused()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # of glibc alone
    if trim is not None:
        trim(0)
