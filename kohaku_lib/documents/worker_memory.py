"""How many processes parse at once, and what memory each of them may take, so that all fit into the machine."""

from __future__ import annotations

from dataclasses import dataclass

_SHARE_OF_MACHINE = 0.8  # the rest is for this process and the system
_LEAST_MB = 1024  # of a process: most documents take less


@dataclass(frozen=True, slots=True)
class WorkerMemory:
    """`workers` processes may take `each_mb` MiB, and one of them at a time `most_mb`."""

    workers: int
    each_mb: int
    most_mb: int


def plan_memory(workers: int, limit_mb: int, machine_mb: int, extra_mb: int = 0) -> WorkerMemory:
    """Return what up to `workers` processes may take on a machine with `machine_mb` MiB, a document at most `limit_mb`.

    A process may take `extra_mb` beside its document. Where all cannot have the whole limit, they have a share of at
    least 1024 MiB and one of them at a time the whole; with few memory there are fewer processes.

    >>> plan_memory(4, 4096, 32_768)
    WorkerMemory(workers=4, each_mb=4096, most_mb=4096)
    >>> plan_memory(8, 4096, 16_384)
    WorkerMemory(workers=8, each_mb=1287, most_mb=4096)
    """
    room = int(machine_mb * _SHARE_OF_MACHINE)
    if workers * (limit_mb + extra_mb) <= room:
        return WorkerMemory(workers, limit_mb, limit_mb)
    least = min(limit_mb, _LEAST_MB)
    most_mb = max(min(limit_mb, room - extra_mb), least)
    others = max(0, min(workers - 1, (room - extra_mb - most_mb) // (least + extra_mb)))
    if not others:
        return WorkerMemory(1, most_mb, most_mb)
    each_mb = (room - extra_mb - most_mb) // others - extra_mb
    return WorkerMemory(others + 1, min(each_mb, limit_mb), most_mb)
