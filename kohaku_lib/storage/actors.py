"""The seam where work fans out over Ray: actors that load what they need once, results as they come."""

from __future__ import annotations

import logging
import os
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Generic, TypeVar

from kohaku_lib.errors import KohakuError
from kohaku_lib.storage.map_items import available_cores

Item = TypeVar("Item")
Result = TypeVar("Result")
_LOGGER = logging.getLogger(__name__)
MOST_ATTEMPTS = 3  # for an item whose actor died
QUIET_S = 60.0  # without a result, after which it is said what is waited for
_LAST_RESULTS_S = 130.0  # that items under way may take once nobody asks for more


def map_on_actors(
    make: Callable[[], Callable[[Item], Result]], items: Sequence[Item], workers: int = 0, at_once: int = 1
) -> Iterator[tuple[int, Result]]:
    """Yield the number of each of `items` and its result, as they come, computed by up to `workers` Ray actors.

    Each actor calls `make` once and what that returned for every item it is given, for up to `at_once` items at the
    same time. An item whose actor died goes to a fresh one, up to three times. `workers=0` means one per processor of
    the cluster. Where Ray is not connected yet, the cluster of RAY_ADDRESS is joined, else one is started on this
    machine, bound to the loopback, for as long as the process lasts. Where the caller stops early, what is under way
    is waited for. Raises what `make` or an item raised, and KohakuError where Ray is not installed or actors keep dying.
    """
    if items:
        yield from _Crew(make, items, actor_count(workers, len(items)), at_once).results()


def actor_count(workers: int, items: int) -> int:
    """Return how many actors `map_on_actors` uses: one more than the cluster has processors would never start."""
    processors = max(1, int(_connected().cluster_resources().get("CPU", 1)))
    return max(1, min(workers or processors, processors, items))


class _Crew(Generic[Item, Result]):
    """The actors of one piece of work, and what each of them is at."""

    def __init__(
        self, make: Callable[[], Callable[[Item], Result]], items: Sequence[Item], actors: int, at_once: int
    ) -> None:
        self._ray = _connected()
        self._hire = self._ray.remote(num_cpus=1, max_restarts=0, max_concurrency=at_once)(_Worker).options().remote
        self._make, self._items = make, items
        self._todo = deque((number, 1) for number in range(len(items)))
        self._actors = [self._hire(make) for _ in range(actors)]
        self._idle = deque(place for _ in range(at_once) for place in range(actors))
        self._at_work: dict[Any, tuple[int, int, int, Any]] = {}  # task to item, attempt, place and its actor

    def results(self) -> Iterator[tuple[int, Result]]:
        try:
            while self._todo or self._at_work:
                self._hand_out()
                done = self._next_done()
                number, attempt, place, actor = self._at_work.pop(done)
                self._idle.append(place)
                try:
                    result = self._ray.get(done)
                except self._ray.exceptions.RayTaskError as error:
                    raise error.cause from error
                except self._ray.exceptions.RayActorError as error:
                    self._try_again(number, attempt, place, actor, error)
                else:
                    yield number, result
        finally:
            if self._at_work:
                self._ray.wait(list(self._at_work), num_returns=len(self._at_work), timeout=_LAST_RESULTS_S)

    def _next_done(self) -> Any:
        while True:
            done, _ = self._ray.wait(list(self._at_work), num_returns=1, timeout=QUIET_S)
            if done:
                return done[0]
            told = (
                "no result of the Ray workers for %.0f s: %d items are worked on or wait for processors ('ray status')"
            )
            _LOGGER.warning(told, QUIET_S, len(self._at_work))

    def _hand_out(self) -> None:
        while self._idle and self._todo:
            (number, attempt), place = self._todo.popleft(), self._idle.popleft()
            actor = self._actors[place]
            self._at_work[actor.run.remote(self._items[number])] = (number, attempt, place, actor)

    def _try_again(self, number: int, attempt: int, place: int, actor: Any, error: Exception) -> None:
        if attempt == MOST_ATTEMPTS:
            msg = f"the Ray workers died {attempt} times over one piece of work ({error}); give them more memory"
            raise KohakuError(msg) from error
        self._todo.appendleft((number, attempt + 1))
        if self._actors[place] is actor:  # the first of its items to come back replaces it
            self._actors[place] = self._hire(self._make)


class _Worker:
    """An actor: what `make` loaded when the first item came, and then one item after the other."""

    def __init__(self, make: Callable[[], Callable[[Any], Any]]) -> None:
        self._make = make
        self._function: Callable[[Any], Any] | None = None
        self._lock = threading.Lock()

    def run(self, item: Any) -> Any:
        with self._lock:  # not in __init__, whose errors would pass for a death
            self._function = self._function or self._make()
        return self._function(item)


def _connected() -> Any:
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"  # Ray would tell its makers
    shared = "RAY_ADDRESS" in os.environ
    if not shared:
        # The one way to keep a local cluster off the network: Ray replaces a loopback address that it is given.
        os.environ.setdefault("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "0")
    try:
        import ray
    except ImportError as error:
        msg = "engine.kind is 'ray', but that package is not installed; install kohaku[ray] or set 'threads'"
        raise KohakuError(msg) from error
    if not ray.is_initialized():
        own = {"address": "local", "num_cpus": available_cores(), "include_dashboard": False}
        ray.init(log_to_driver=False, logging_level=logging.ERROR, configure_logging=False, **({} if shared else own))
    return ray
