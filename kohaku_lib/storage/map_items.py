"""The one seam where work over many items fans out."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


def map_items(
    function: Callable[[Item], Result],
    items: Sequence[Item],
    workers: int = 0,
    stop: Callable[[], object] | None = None,
) -> Iterator[Result]:
    """Yield `function(item)` for every item, in the order of `items`, computed by up to `workers` threads.

    `workers=0` means one per core. The first exception of an item is raised at its place; items not yet
    started are then dropped, `stop` is called, and items under way are waited for; so it is where the caller is
    interrupted or asks for no more. No thread is started for fewer than two items or one worker.

    >>> list(map_items(lambda n: n * n, [1, 2, 3]))
    [1, 4, 9]
    """
    count = min(workers or available_cores(), len(items))
    if count < 2:
        yield from map(function, items)
        return
    with ThreadPoolExecutor(count, thread_name_prefix="kohaku") as pool:
        try:
            yield from pool.map(function, items)
        except BaseException:
            if stop is not None:
                stop()
            raise
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def available_cores() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
