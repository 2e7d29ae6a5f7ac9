"""Readers lose no channel and meet no error while indexes are published: benchmarks/concurrent_readers.py in short."""

import pytest
from published_readers import read_while_publishing


@pytest.mark.slow
def test_threads_that_ask_and_search_during_publishes_lose_no_channel_and_meet_no_error(fresh):
    found = read_while_publishing(fresh().home, threads=16, publishes=4)
    assert found.publishes == 4
    assert min(found.asked, found.searched) >= 8
    assert (found.lost, found.errors, found.wrong) == (0, [], 0)
