"""Memory that is free within this process, for the system to use."""

from __future__ import annotations

import ctypes

import pyarrow as pa


def give_back_memory() -> None:
    """Give what Arrow and the C library keep for later back to the system, where they can.

    Each of the two keeps what was freed in its own way, and neither takes from the other: what stages of different
    kinds leave behind would add up.
    """
    pa.default_memory_pool().release_unused()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # of glibc alone
    if trim is not None:
        trim(0)
