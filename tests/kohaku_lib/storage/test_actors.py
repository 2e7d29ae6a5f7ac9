"""Work on Ray actors: same results as threads, and none lost where an actor is killed."""

import os
import signal
from pathlib import Path

import numpy as np
import pytest

from kohaku_lib.embedding import ActorEncoder, embed_texts
from kohaku_lib.embedding.cached import EMBEDDING_CACHE_SCHEMA, embed
from kohaku_lib.errors import KohakuError
from kohaku_lib.settings import EmbeddingSettings
from kohaku_lib.storage import RowCache, map_on_actors

ray = pytest.importorskip("ray", reason="the extra [ray] is not installed")
pytestmark = pytest.mark.filterwarnings("ignore")  # Ray's own


@pytest.fixture(scope="module", autouse=True)
def cluster():
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    ray.init(
        num_cpus=2,
        include_dashboard=False,
        _node_ip_address="127.0.0.1",
        object_store_memory=100_000_000,
        log_to_driver=False,
        logging_level="ERROR",
        configure_logging=False,
    )
    yield
    ray.shutdown()


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
        assert (found.spent.computed, found.reused) == (40, 0)
    cosines = (found.vectors * embed_texts(texts)).sum(axis=1)
    assert cosines.min() >= 0.9999
    again = embed(texts, settings, RowCache(tmp_path, EMBEDDING_CACHE_SCHEMA), "document")
    assert (again.spent.computed, again.reused) == (0, 40)
    np.testing.assert_array_equal(again.vectors, found.vectors)
