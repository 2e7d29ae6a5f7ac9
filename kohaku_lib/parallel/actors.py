"""Parallel work on Ray: actors that load their resources once, results in order of completion."""

from __future__ import annotations

import logging
import os
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, Generic, TypeVar

from kohaku_lib.errors import KohakuError
from kohaku_lib.install_command import install_command
from kohaku_lib.parallel.map_items import available_cores

Item = TypeVar("Item")
Result = TypeVar("Result")
_LOGGER = logging.getLogger(__name__)
MOST_ATTEMPTS = 3  # for an item whose actor died
QUIET_S = 60.0  # without a result, until a warning is logged
_GLANCE_S = 5.0  # without a result, until the nodes that are left are looked at
_LAST_RESULTS_S = 130.0  # for running items to finish once the caller stops early


def map_on_actors(
    make: Callable[[], Callable[[Item], Result]], items: Sequence[Item], workers: int = 0, at_once: int = 1
) -> Iterator[tuple[int, Result]]:
    """Yield (index, result) of each of `items` in order of completion, computed by up to `workers` actors.

    Each calls `make` once and applies the returned function to up to `at_once` items concurrently; see `ActorCrew`.

    Raises:
        KohakuError: Ray is not installed, or actors keep dying.
        Exception: whatever `make` or an item raised.

    """
    if items:
        yield from ActorCrew(lambda _: (make, at_once), actor_count(workers, len(items))).map(items)


def actor_count(workers: int, items: int | None = None) -> int:
    """Return how many actors are used: at most one per processor, as more would never be scheduled, and one per item."""
    processors = max(1, int(_connect_ray().cluster_resources().get("CPU", 1)))
    return max(1, min(workers or processors, processors, processors if items is None else items))


class ActorCrew(Generic[Item, Result]):
    """Up to `workers` Ray actors that live as long as this object, and have loaded their resources once.

    `plan` is called once with the number of actors, 0 workers being one per processor of the cluster. It returns what each
    calls to make the function that it applies to its items, and how many items it takes at once. An item whose actor died, as
    its node did perhaps, is given to one that was made afterwards, three attempts in all. Unless Ray is connected already, the
    cluster at RAY_ADDRESS is joined, or a local one is started, bound to the loopback, for the lifetime of the process; that
    is at the first item.
    """

    def __init__(
        self, plan: Callable[[int], tuple[Callable[[], Callable[[Item], Result]], int]], workers: int = 0
    ) -> None:
        self._plan, self._workers = plan, workers
        self._ray: Any = None
        self._members: list[_Member] = []
        self._deaths = 0

    def in_order(self, items: Sequence[Item]) -> Iterator[Result]:
        """Yield the result of each of `items` in their order; raises what `map` does."""
        early: dict[int, Result] = {}
        expected = 0
        for number, result in self.map(items):
            early[number] = result
            while expected in early:
                yield early.pop(expected)
                expected += 1

    def map(self, items: Sequence[Item]) -> Iterator[tuple[int, Result]]:
        """Yield (index, result) of each of `items` in order of completion. If the caller stops early, running items are awaited.

        Raises:
            KohakuError: Ray is not installed, or actors keep dying.
            Exception: whatever making the function or an item raised.

        """
        if not items:
            return
        self._ray = _connect_ray()
        waiting, again = deque(_Attempt(number) for number in range(len(items))), deque[_Attempt]()
        running: dict[Any, tuple[_Attempt, _Member]] = {}
        try:
            while waiting or again or running:
                for attempts in (again, waiting):
                    self._submit(items, attempts, running)
                done = self._wait_for_task(running, len(waiting) + len(again))
                attempt, member = running.pop(done)
                member.free += 1
                try:
                    result = self._ray.get(done)
                except self._ray.exceptions.RayTaskError as error:
                    raise error.cause from error
                except (self._ray.exceptions.RayActorError, self._ray.exceptions.ObjectLostError) as error:
                    self._lose(member)
                    again.append(attempt.again(self._deaths, error))
                else:
                    member.is_up = True
                    yield attempt.number, result
        finally:
            if running:
                self._ray.wait(list(running), num_returns=len(running), timeout=_LAST_RESULTS_S)
                self._members.clear()

    def end(self) -> None:
        """End the actors, so that those of another crew get their processors; the next item has new ones."""
        self._members.clear()

    def _submit(
        self, items: Sequence[Item], attempts: deque[_Attempt], running: dict[Any, tuple[_Attempt, _Member]]
    ) -> None:
        while attempts and (member := self._free_member(attempts[0].after)) is not None:
            attempt = attempts.popleft()
            member.free -= 1
            running[member.actor.run.remote(items[attempt.number])] = attempt, member

    def _free_member(self, after: int) -> _Member | None:
        """Return an actor that was made after so many deaths and takes an item, perhaps a new one; None while all are busy."""
        able = [one for one in self._members if one.born >= after]
        best = max(able, key=lambda one: one.free, default=None)
        if best is not None and best.is_idle:
            return best
        if len(self._members) < self._most and len(self._members) < self._room():
            return self._hire()
        if best is not None:
            return best if best.free else None
        # No processor is left for a new actor, as a node is gone. One that does not know what the dead one has saved ends.
        idle = next((one for one in self._members if one.is_idle), None)
        if idle is None:
            return None
        self._members.remove(idle)
        self._ray.kill(idle.actor)
        return self._hire()

    def _hire(self) -> _Member:
        make, at_once = self._share
        options = self._ray.remote(num_cpus=1, max_restarts=0, max_concurrency=at_once)(_ItemWorker).options()
        self._members.append(_Member(options.remote(make), at_once, at_once, self._deaths))
        return self._members[-1]

    def _lose(self, member: _Member) -> None:
        if member in self._members:  # counted once, by its first item to fail
            self._members.remove(member)
            self._deaths += 1
            self._ray.kill(member.actor)

    @cached_property
    def _most(self) -> int:
        return actor_count(self._workers)

    @cached_property
    def _share(self) -> tuple[Callable[[], Callable[[Item], Result]], int]:
        return self._plan(self._most)

    def _room(self) -> int:
        """Return how many actors there may be: at most one per processor of the nodes that are alive."""
        left = sum(node["Resources"].get("CPU", 0) for node in self._ray.nodes() if node["Alive"])
        return max(1, min(self._most, int(left)))

    def _wait_for_task(self, running: Mapping[Any, object], waiting: int) -> Any:
        quiet_s, step_s = 0.0, min(_GLANCE_S, QUIET_S)
        while True:
            done, _ = self._ray.wait(list(running), num_returns=1, timeout=step_s)
            if done:
                return done[0]
            self._end_unplaced()
            quiet_s += step_s
            if quiet_s >= QUIET_S:
                message = "no result from the Ray workers for %.0f s; %d items are running or queued (see 'ray status')"
                _LOGGER.warning(message, quiet_s, len(running) + waiting)
                quiet_s = 0.0

    def _end_unplaced(self) -> None:
        """End actors that no processor is left for: a node is known to be gone only some time after it is."""
        if (more := len(self._members) - self._room()) > 0:
            for member in [one for one in self._members if not one.is_up][:more]:
                self._ray.kill(member.actor)  # its items fail, and are given to others


@dataclass(frozen=True, slots=True)
class _Attempt:
    """An attempt at an item, for an actor that was made after so many had died."""

    number: int
    after: int = 0
    count: int = 1

    def again(self, deaths: int, error: Exception) -> _Attempt:
        if self.count == MOST_ATTEMPTS:
            msg = f"Ray workers died {self.count} times on the same item ({error}); give them more memory"
            raise KohakuError(msg) from error
        return _Attempt(self.number, deaths, self.count + 1)


@dataclass(eq=False, slots=True)
class _Member:
    """An actor, how many more items it may take of so many at once, and how many had died before it was made."""

    actor: Any
    free: int
    at_once: int
    born: int
    is_up: bool = False  # has given a result

    @property
    def is_idle(self) -> bool:
        return self.free == self.at_once


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
