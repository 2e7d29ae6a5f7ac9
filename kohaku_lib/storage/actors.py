"""The seam where work fans out over Ray: actors that load what they need once, results as they come."""

from __future__ import annotations

import logging
import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from kohaku_lib.errors import KohakuError
from kohaku_lib.storage.map_items import available_cores

Item = TypeVar("Item")
Result = TypeVar("Result")
MOST_ATTEMPTS = 3  # for an item whose actor died


def map_on_actors(
    make: Callable[[], Callable[[Item], Result]], items: Sequence[Item], workers: int = 0
) -> Iterator[tuple[int, Result]]:
    """Yield the number of each of `items` and its result, as they come, computed by up to `workers` Ray actors.

    Each actor calls `make` once and what that returned for every item it is given. An item whose actor died goes
    to a fresh one, up to three times. `workers=0` means one per processor of the cluster. Where Ray is not connected yet,
    the cluster of RAY_ADDRESS is joined, else one is started on this machine for as long as the process lasts.
    Raises what an item raised, and KohakuError where Ray is not installed or actors keep dying.
    """
    ray = _connected()
    worker_class = ray.remote(num_cpus=1, max_restarts=0)(_Worker)
    todo = deque((number, 1) for number in range(len(items)))
    processors = max(1, int(ray.cluster_resources().get("CPU", 1)))  # an actor beyond these would never start
    idle = [worker_class.remote(make) for _ in range(min(workers or processors, processors, len(items)))]
    at_work: dict[Any, tuple[int, int, Any]] = {}
    while todo or at_work:
        while idle and todo:
            (number, attempt), actor = todo.popleft(), idle.pop()
            at_work[actor.run.remote(items[number])] = (number, attempt, actor)
        [done], _ = ray.wait(list(at_work), num_returns=1)
        number, attempt, actor = at_work.pop(done)
        try:
            result = ray.get(done)
        except ray.exceptions.RayTaskError as error:
            raise error.cause from error
        except ray.exceptions.RayActorError as error:
            if attempt == MOST_ATTEMPTS:
                msg = f"the Ray workers died {attempt} times over one piece of work ({error}); give them more memory"
                raise KohakuError(msg) from error
            todo.appendleft((number, attempt + 1))
            idle.append(worker_class.remote(make))
            continue
        idle.append(actor)
        yield number, result


class _Worker:
    """An actor: what `make` loaded, and one item after the other."""

    def __init__(self, make: Callable[[], Callable[[Any], Any]]) -> None:
        self._function = make()

    def run(self, item: Any) -> Any:
        return self._function(item)


def _connected() -> Any:
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"  # Ray would tell its makers
    try:
        import ray
    except ImportError as error:
        msg = "engine.kind is 'ray', but that package is not installed; install kohaku[ray] or set 'threads'"
        raise KohakuError(msg) from error
    if not ray.is_initialized():
        own = {"num_cpus": available_cores(), "include_dashboard": False, "_node_ip_address": "127.0.0.1"}
        shared = "RAY_ADDRESS" in os.environ
        ray.init(log_to_driver=False, logging_level=logging.ERROR, configure_logging=False, **({} if shared else own))
    return ray
