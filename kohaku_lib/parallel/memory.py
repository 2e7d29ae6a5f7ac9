"""The memory limit of this machine, and the release of freed memory to the system."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

_CGROUP_FILES = {"": "memory.max", "memory": "memory.limit_in_bytes"}  # by controller: of version 2, of version 1


def give_back_memory() -> None:
    """Return the memory that Arrow and the C library hold for reuse to the system.

    The two allocators do not share freed memory, so what different stages free would add up.
    """
    import pyarrow as pa

    pa.default_memory_pool().release_unused()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # glibc only
    if trim is not None:
        trim(0)


def machine_memory(root: Path = Path("/")) -> int:
    """Return the bytes of memory that this process may use: the machine's, or its container's limit if lower.

    `root` is the folder that contains proc and sys.
    """
    return min((os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"), *_cgroup_limits(root)))


def _cgroup_limits(root: Path) -> Iterator[int]:
    """Yield the limits of the control groups of this process and of their parents."""
    try:
        lines = (root / "proc/self/cgroup").read_text().splitlines()
    except OSError:
        return
    for line in lines:
        _, controllers, place = line.split(":", 2)
        for controller in _CGROUP_FILES.keys() & controllers.split(","):
            group = PurePosixPath(place.lstrip("/"))
            for inner in (group, *group.parents):
                yield from _limit_in_file(root / "sys/fs/cgroup" / controller / inner / _CGROUP_FILES[controller])


def _limit_in_file(path: Path) -> Iterator[int]:
    try:
        yield int(path.read_text())
    except (OSError, ValueError):  # ValueError: "max"
        return
