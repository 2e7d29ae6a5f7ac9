from concurrent.futures import ThreadPoolExecutor

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.index.byte_limited_cache import ENTRY_BYTES, ByteLimitedCache


def counted(kept, key, size, computed):
    def compute():
        computed.append(key)
        return np.full(size, key, np.int64)

    return kept.get(key, compute)


def test_a_value_is_computed_once_while_it_fits():
    kept, computed = ByteLimitedCache(2 * (ENTRY_BYTES + 5 * 8)), []
    assert [counted(kept, key, 5, computed).tolist()[0] for key in (1, 2, 1, 2, 1)] == [1, 2, 1, 2, 1]
    assert computed == [1, 2]


def test_what_was_asked_for_longest_ago_goes_first():
    kept, computed = ByteLimitedCache(2 * (ENTRY_BYTES + 5 * 8)), []
    for key in (1, 2, 1, 3, 1, 2):
        counted(kept, key, 5, computed)
    assert computed == [1, 2, 3, 2]


def test_a_value_larger_than_the_limit_is_given_but_not_kept():
    kept, computed = ByteLimitedCache(ENTRY_BYTES + 8), []
    assert counted(kept, 1, 2, computed).tolist() == [1, 1]
    counted(kept, 1, 2, computed)
    assert computed == [1, 1]


def test_threads_get_the_value_of_their_key():
    kept, computed = ByteLimitedCache(2 * (ENTRY_BYTES + 3 * 8)), []
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda key: counted(kept, key % 7, 3, computed).tolist(), range(200)))
    assert found == [[key % 7] * 3 for key in range(200)]


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 4)), max_size=30), st.integers(0, 3 * ENTRY_BYTES))
def test_no_more_is_kept_than_fits(asked, most_bytes):
    kept, computed, sizes = ByteLimitedCache(most_bytes), [], {}
    for key, size in asked:
        sizes.setdefault(key, size)
        counted(kept, key, sizes[key], computed)
    computed.clear()
    held = [key for key in sizes if len(counted_if_missing(kept, key, computed))]
    assert sum(ENTRY_BYTES + 8 * sizes[key] for key in held) <= most_bytes


def counted_if_missing(kept, key, computed):
    """The value at hand, or one of no size."""
    return counted(kept, key, 0, computed)


def test_values_without_size_are_forgotten_too():
    kept, computed = ByteLimitedCache(10 * ENTRY_BYTES), []
    for key in range(11):
        counted(kept, key, 0, computed)
    counted(kept, 10, 0, computed)
    counted(kept, 0, 0, computed)
    assert computed == [*range(11), 0]
