"""The memory of this machine, and what is free within this process, for the system to use."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

import pyarrow as pa

_CGROUP_FILES = {"": "memory.max", "memory": "memory.limit_in_bytes"}  # by controller: of version 2, of version 1


def give_back_memory() -> None:
    """Give what Arrow and the C library keep for later back to the system, where they can.

    Each of the two keeps what was freed in its own way, and neither takes from the other: what stages of different
    kinds leave behind would add up.
    """
    pa.default_memory_pool().release_unused()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # of glibc alone
    if trim is not None:
        trim(0)


def machine_memory(root: Path = Path("/")) -> int:
    """Return the bytes of memory that this process may use: those of the machine, or of its container where that has fewer.

    `root` is the folder in which proc and sys lie.
    """
    return min((os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"), *_cgroup_limits(root)))


def _cgroup_limits(root: Path) -> Iterator[int]:
    """Yield the limits of the control groups of this process and of those that hold them."""
    try:
        lines = (root / "proc/self/cgroup").read_text().splitlines()
    except OSError:
        return
    for line in lines:
        _, controllers, place = line.split(":", 2)
        for controller in _CGROUP_FILES.keys() & controllers.split(","):
            group = PurePosixPath(place.lstrip("/"))
            for inner in (group, *group.parents):
                yield from _number(root / "sys/fs/cgroup" / controller / inner / _CGROUP_FILES[controller])


def _number(path: Path) -> Iterator[int]:
    try:
        yield int(path.read_text())
    except (OSError, ValueError):  # the second: "max"
        return
