"""Work on Ray actors: same results as threads, and none lost where an actor is killed."""

import importlib.util
import os
import signal
import threading
import time
from pathlib import Path

import numpy as np
import psutil
import pytest

from kohaku_lib.embedding import ActorEncoder, embed_texts
from kohaku_lib.embedding.cached import EMBEDDING_CACHE_SCHEMA, embed
from kohaku_lib.errors import KohakuError, ModelError
from kohaku_lib.parallel import map_on_actors
from kohaku_lib.settings import EmbeddingSettings
from kohaku_lib.storage import RowCache

pytestmark = [
    pytest.mark.slow,
    pytest.mark.xdist_group("ray"),
    pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="the extra [ray] is not installed"),
    pytest.mark.filterwarnings("ignore"),  # Ray's own
]


@pytest.fixture(scope="module", autouse=True)
def no_cluster_stays():
    yield
    import ray

    ray.shutdown()


def listening_hosts():
    """The addresses on which this process and those below it listen."""
    own = psutil.Process()
    found = [process.net_connections("inet") for process in (own, *own.children(recursive=True))]
    return {one.laddr.ip.removeprefix("::ffff:") for many in found for one in many if one.status == "LISTEN"}


def test_the_local_cluster_listens_on_the_loopback_alone():
    assert list(map_on_actors(lambda: str, [1], 1)) == [(0, "1")]
    assert listening_hosts() == {"127.0.0.1"}


def test_an_actor_works_on_several_items_at_once():
    def make():
        together = threading.Barrier(3)
        return lambda item: together.wait(20) >= 0

    assert sorted(map_on_actors(make, [0, 1, 2], 1, 3)) == [(0, True), (1, True), (2, True)]


def test_a_long_wait_for_the_workers_is_spoken_of(monkeypatch, caplog):
    monkeypatch.setattr("kohaku_lib.parallel.actors.QUIET_S", 0.1)
    assert list(map_on_actors(lambda: time.sleep, [1.0], 1)) == [(0, None)]
    assert "no result from the Ray workers for 0 s; 1 items are running or queued" in caplog.text


def test_what_cannot_be_loaded_is_raised_here():
    def make():
        msg = "no such model"
        raise ModelError(msg)

    with pytest.raises(ModelError, match="no such model"):
        list(map_on_actors(make, [1], 1))


def test_running_items_end_although_the_caller_stops_early(tmp_path):
    folder = tmp_path

    def make():
        def work(item):
            time.sleep(0.3 * item)
            (folder / str(item)).touch()

        return work

    results = map_on_actors(make, [0, 1, 2, 3], 1, 2)
    next(results)
    results.close()
    assert {path.name for path in folder.iterdir()} == {"0", "1"}


def test_every_item_comes_once_with_its_number():
    def make():
        loaded = {"offset": 100}
        return lambda item: item + loaded["offset"]

    assert sorted(map_on_actors(make, [1, 2, 3, 4], 2)) == [(0, 101), (1, 102), (2, 103), (3, 104)]
    assert list(map_on_actors(make, [], 2)) == []


def test_what_an_item_raises_is_raised_here():
    def make():
        def fail(item):
            msg = f"no {item}"
            raise ValueError(msg)

        return fail

    with pytest.raises(ValueError, match="no 7"):
        list(map_on_actors(make, [7], 1))


def test_a_killed_actor_loses_nothing(tmp_path):
    mark = str(tmp_path / "killed")

    def make():
        def work(item):
            if item == 2 and not Path(mark).exists():
                Path(mark).touch()
                os.kill(os.getpid(), signal.SIGKILL)
            return item * item

        return work

    assert sorted(map_on_actors(make, [0, 1, 2, 3], 2)) == [(0, 0), (1, 1), (2, 4), (3, 9)]
    assert Path(mark).exists()


def test_an_item_whose_actor_died_is_retried_by_one_that_was_made_afterwards(tmp_path):
    killed, taken = tmp_path / "killed", tmp_path / "taken"

    def make():
        is_fresh = killed.exists()

        def work(item):
            while item == 1 and not taken.exists():  # the other actor is idle then
                time.sleep(0.01)
            if item == 1 and not killed.exists():
                killed.touch()
                os.kill(os.getpid(), signal.SIGKILL)
            return is_fresh

        return work

    fresh = {}
    for number, is_fresh in map_on_actors(make, [0, 1], 2):
        fresh[number] = is_fresh
        taken.touch()
    assert fresh == {0: False, 1: True}


def test_work_that_always_kills_its_actor_ends_in_one_sentence():
    def make():
        return lambda item: os.kill(os.getpid(), signal.SIGKILL)

    with pytest.raises(KohakuError, match="died 3 times"):
        list(map_on_actors(make, [1], 1))


def test_vectors_of_actors_are_those_of_this_process_and_are_durable_here(tmp_path):
    texts = [f"sentence number {number} about {'cats ' * (number % 7)}" for number in range(40)]
    settings = EmbeddingSettings()
    with RowCache(tmp_path, EMBEDDING_CACHE_SCHEMA) as cache:
        found = embed(texts, settings, cache, "document", encoder=ActorEncoder(settings, 1))
        assert (found.cost.computed, found.reused) == (40, 0)
    cosines = (found.vectors * embed_texts(texts)).sum(axis=1)
    assert cosines.min() >= 0.9999
    again = embed(texts, settings, RowCache(tmp_path, EMBEDDING_CACHE_SCHEMA), "document")
    assert (again.cost.computed, again.reused) == (0, 40)
    np.testing.assert_array_equal(again.vectors, found.vectors)
