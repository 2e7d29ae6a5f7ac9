"""The one seam where work over many items fans out."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, wait
from typing import TypeVar

from kohaku_lib.interruption import interruptible_pool

Item = TypeVar("Item")
Result = TypeVar("Result")
AWAKE_S = 0.5


def map_items(
    function: Callable[[Item], Result],
    items: Sequence[Item],
    workers: int = 0,
    stop: Callable[[], object] | None = None,
) -> Iterator[Result]:
    """Yield `function(item)` for every item, in the order of `items`, computed by up to `workers` threads.

    `workers=0` means one per core. The first exception of an item is raised at its place; items not yet
    started are then dropped, `stop` is called, and items under way are waited for; so it is where the caller asks
    for no more or is interrupted, which `is_interrupted` tells the items under way. No thread is started for fewer
    than two items or one worker.

    >>> list(map_items(lambda n: n * n, [1, 2, 3]))
    [1, 4, 9]
    """
    count = min(workers or available_cores(), len(items))
    if count < 2:
        yield from map(function, items)
        return
    with interruptible_pool(count) as pool:
        try:
            yield from _results(deque(pool.submit(function, item) for item in items))
        except BaseException:
            if stop is not None:
                stop()
            raise


def _results(futures: deque[Future[Result]]) -> Iterator[Result]:
    while futures:
        future = futures.popleft()
        # A signal that comes just before a wait without end is noticed at its end; so none is longer than this.
        while not future.done():
            wait([future], AWAKE_S)
        yield future.result()


def available_cores() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
