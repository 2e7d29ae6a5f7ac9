"""Orders of the snippets in a prompt."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.retrieval import in_order

ORDERS = ("front_loaded", "sandwich", "alternating")


@given(st.lists(st.integers()), st.sampled_from(ORDERS))
def test_no_item_is_lost_or_added_and_the_best_comes_first(items, order):
    ordered = in_order(items, order)
    assert sorted(ordered) == sorted(items)
    assert ordered[:1] == items[:1]


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("items", [[], [1], [1, 2]])
def test_up_to_two_items_are_unchanged(items, order):
    assert in_order(items, order) == items


@pytest.mark.parametrize(
    ("order", "three", "four"),
    [
        ("front_loaded", "abc", "abcd"),
        ("sandwich", "acb", "acdb"),  # the two best at the ends
        ("alternating", "acb", "adbc"),  # the best, the worst, the second best, …
    ],
)
def test_the_places_of_three_and_four_items(order, three, four):
    assert "".join(in_order("abc", order)) == three
    assert "".join(in_order("abcd", order)) == four


@given(st.integers(3, 40))
def test_in_a_sandwich_ranks_rise_to_the_middle_and_fall_to_the_end(count):
    ordered = in_order(list(range(count)), "sandwich")
    peak = ordered.index(count - 1)
    assert ordered[: peak + 1] == sorted(ordered[: peak + 1])
    assert ordered[peak:] == sorted(ordered[peak:], reverse=True)


def test_the_given_list_is_not_changed():
    items = [1, 2, 3]
    in_order(items).append(4)
    assert items == [1, 2, 3]
