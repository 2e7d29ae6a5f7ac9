"""Parallel map over many items, on threads."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, wait
from typing import TypeVar

from kohaku_lib.parallel.interruption import interruptible_pool

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

    `workers=0` means one per core; fewer than two items or one worker run in the calling thread. The first exception is
    raised at the place of its item. Then, or if the caller stops early or is interrupted, pending items are dropped,
    `stop` is called, and running items are awaited; `is_interrupted` reports an interrupt to running items.

    >>> list(map_items(lambda n: n * n, [1, 2, 3]))
    [1, 4, 9]
    """
    count = min(workers or available_cores(), len(items))
    if count < 2:
        yield from map(function, items)
        return
    with interruptible_pool(count) as pool:
        try:
            yield from _results_in_order(deque(pool.submit(function, item) for item in items))
        except BaseException:
            if stop is not None:
                stop()
            raise


def _results_in_order(futures: deque[Future[Result]]) -> Iterator[Result]:
    while futures:
        future = futures.popleft()
        # A signal just before an unbounded wait would be noticed only at its end, so waits are short.
        while not future.done():
            wait([future], AWAKE_S)
        yield future.result()


def available_cores() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
