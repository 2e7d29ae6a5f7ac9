import threading

import pytest
from hang_limit import ended
from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.parallel import map_items


@given(st.lists(st.integers(), max_size=20), st.integers(0, 4))
def test_results_come_in_the_order_of_the_items_whatever_the_workers(items, workers):
    assert list(map_items(lambda item: item * 2, items, workers)) == [item * 2 for item in items]


def test_an_error_is_raised_at_its_place_and_the_rest_is_stopped():
    stopped = threading.Event()
    begun = []

    def work(item):
        begun.append(item)
        if item == 1:
            msg = "one"
            raise ValueError(msg)
        if item > 1:
            stopped.wait()
        return item

    results = map_items(work, list(range(20)), 2, stopped.set)
    with pytest.raises(ValueError, match="one"):
        ended(lambda: list(results))
    assert stopped.is_set()
    assert 1 in begun


def test_a_caller_that_stops_early_stops_the_rest():
    stops = []
    results = map_items(lambda item: item, list(range(50)), 2, lambda: stops.append(1))
    assert next(results) == 0
    results.close()
    assert stops == [1]


def test_all_results_taken_stop_nothing():
    stops = []
    assert list(map_items(lambda item: item, [1, 2, 3], 2, lambda: stops.append(1))) == [1, 2, 3]
    assert stops == []
