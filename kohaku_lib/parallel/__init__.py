"""Parallel work: threads and Ray actors, their interruption, and the cores and memory there are for them."""

from kohaku_lib.parallel.actors import ActorCrew, actor_count, map_on_actors
from kohaku_lib.parallel.interruption import interruptible_pool, is_interrupted
from kohaku_lib.parallel.map_items import available_cores, map_items
from kohaku_lib.parallel.memory import give_back_memory, machine_memory

__all__ = [
    "ActorCrew",
    "actor_count",
    "available_cores",
    "give_back_memory",
    "interruptible_pool",
    "is_interrupted",
    "machine_memory",
    "map_items",
    "map_on_actors",
]
