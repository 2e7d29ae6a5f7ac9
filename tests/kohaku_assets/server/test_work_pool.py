"""Work runs on the threads of the pool; what nobody waits for any more never begins."""

import asyncio
import threading

import pytest

from kohaku_assets.server.access.principal import Principal
from kohaku_assets.server.work_pool import WAITING, WorkPool, worker_count
from kohaku_lib.parallel import available_cores
from kohaku_lib.settings import Settings

ANN = Principal("acme", "reader", "ann", "1")


def test_results_and_exceptions_reach_the_caller():
    async def use(pool):
        assert await pool.run(ANN, lambda: 6 * 7) == 42
        with pytest.raises(ZeroDivisionError):
            await pool.run(ANN, lambda: 1 / 0)

    pool = WorkPool(1)
    asyncio.run(use(pool))
    pool.close(10.0)


def test_cancelled_work_that_waits_never_begins():
    held, done = threading.Event(), []

    async def use(pool):
        first = asyncio.ensure_future(pool.run(ANN, lambda: held.wait(30)))
        second = asyncio.ensure_future(pool.run(ANN, lambda: done.append("second")))
        await asyncio.sleep(0)
        second.cancel()
        held.set()
        assert await first
        assert await pool.run(ANN, lambda: "third") == "third"

    pool = WorkPool(1)
    asyncio.run(use(pool))
    pool.close(10.0)
    assert done == []


@pytest.mark.parametrize(
    ("provider", "workers", "count"),
    [
        (None, None, available_cores()),
        ("openai", None, WAITING),
        ("openai", 3, 3),
        (None, 3, 3),
    ],
)
def test_threads_that_compute_are_as_many_as_cores_and_those_that_wait_more(provider, workers, count):
    settings = Settings.model_validate({"llm": {"provider": provider}, "server": {"workers": workers}})
    assert worker_count(settings) == count
