"""Parallel work on Ray: actors that load their resources once, results in order of completion."""

from __future__ import annotations

import logging
import os
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, Generic, TypeVar

from kohaku_lib.errors import KohakuError
from kohaku_lib.install_command import install_command
from kohaku_lib.parallel.map_items import available_cores

Item = TypeVar("Item")
Result = TypeVar("Result")
_LOGGER = logging.getLogger(__name__)
MOST_ATTEMPTS = 3  # for an item whose actor died
QUIET_S = 60.0  # without a result, until a warning is logged
_LAST_RESULTS_S = 130.0  # for running items to finish once the caller stops early


def map_on_actors(
    make: Callable[[], Callable[[Item], Result]], items: Sequence[Item], workers: int = 0, at_once: int = 1
) -> Iterator[tuple[int, Result]]:
    """Yield (index, result) of each of `items` in order of completion, computed by up to `workers` Ray actors.

    Each actor calls `make` once and applies the returned function to its items, up to `at_once` of them concurrently.
    An item whose actor died is retried on a fresh one, three attempts in all. `workers=0` means one per processor of the
    cluster. Unless Ray is connected already, the cluster at RAY_ADDRESS is joined, or a local one is started, bound to
    the loopback, for the lifetime of the process. If the caller stops early, running items are awaited.

    Raises:
        KohakuError: Ray is not installed, or actors keep dying.
        Exception: whatever `make` or an item raised.

    """
    if items:
        yield from _ActorPool(make, items, actor_count(workers, len(items)), at_once).results()


def actor_count(workers: int, items: int) -> int:
    """Return how many actors `map_on_actors` uses: at most one per processor, as more would never be scheduled."""
    processors = max(1, int(_connect_ray().cluster_resources().get("CPU", 1)))
    return max(1, min(workers or processors, processors, items))


class _ActorPool(Generic[Item, Result]):
    """The actors of one `map_on_actors` call and their running tasks."""

    def __init__(
        self, make: Callable[[], Callable[[Item], Result]], items: Sequence[Item], actors: int, at_once: int
    ) -> None:
        self._ray = _connect_ray()
        self._start_actor = (
            self._ray.remote(num_cpus=1, max_restarts=0, max_concurrency=at_once)(_ItemWorker).options().remote
        )
        self._make, self._items = make, items
        self._queue = deque(range(len(items)))
        self._actors = [self._start_actor(make) for _ in range(actors)]
        self._idle = deque(place for _ in range(at_once) for place in range(actors))
        self._running: dict[Any, tuple[int, int, int, Any]] = {}  # task to item, attempt, place and its actor

    def results(self) -> Iterator[tuple[int, Result]]:
        try:
            while self._queue or self._running:
                self._submit()
                done = self._wait_for_task()
                number, attempt, place, actor = self._running.pop(done)
                try:
                    result = self._ray.get(done)
                except self._ray.exceptions.RayTaskError as error:
                    raise error.cause from error
                except self._ray.exceptions.RayActorError as error:
                    self._retry(number, attempt, place, actor, error)
                else:
                    self._idle.append(place)
                    yield number, result
        finally:
            if self._running:
                self._ray.wait(list(self._running), num_returns=len(self._running), timeout=_LAST_RESULTS_S)

    def _wait_for_task(self) -> Any:
        while True:
            done, _ = self._ray.wait(list(self._running), num_returns=1, timeout=QUIET_S)
            if done:
                return done[0]
            message = "no result from the Ray workers for %.0f s; %d items are running or queued (see 'ray status')"
            _LOGGER.warning(message, QUIET_S, len(self._running))

    def _submit(self) -> None:
        while self._idle and self._queue:
            self._start(self._queue.popleft(), 1, self._idle.popleft())

    def _start(self, number: int, attempt: int, place: int) -> None:
        actor = self._actors[place]
        self._running[actor.run.remote(self._items[number])] = (number, attempt, place, actor)

    def _retry(self, number: int, attempt: int, place: int, actor: Any, error: Exception) -> None:
        if attempt == MOST_ATTEMPTS:
            msg = f"Ray workers died {attempt} times on the same item ({error}); give them more memory"
            raise KohakuError(msg) from error
        if self._actors[place] is actor:  # replaced once, by its first item to fail
            self._actors[place] = self._start_actor(self._make)
        self._start(number, attempt + 1, place)  # others were made before, and may not see what the dead one has saved


class _ItemWorker:
    """An actor: calls `make` at its first item and applies the result to every item."""

    def __init__(self, make: Callable[[], Callable[[Any], Any]]) -> None:
        self._make = make
        self._function: Callable[[Any], Any] | None = None
        self._lock = threading.Lock()

    def run(self, item: Any) -> Any:
        with self._lock:  # not in __init__, where an error would look like a dead actor
            self._function = self._function or self._make()
        return self._function(item)


def _connect_ray() -> Any:
    shared = "RAY_ADDRESS" in os.environ
    if not shared:
        # The only way to keep a local cluster off the network: Ray replaces an explicit loopback address.
        os.environ.setdefault("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "0")
    try:
        import ray
    except ImportError as error:
        msg = f"parallel.kind is 'ray', but Ray is not installed; run {install_command('ray')}, or set 'threads'"
        raise KohakuError(msg) from error
    if not ray.is_initialized():
        init = partial(ray.init, log_to_driver=False, logging_level=logging.ERROR, configure_logging=False)
        if shared:
            init()
        else:
            init(address="local", num_cpus=available_cores(), include_dashboard=False)
    return ray
