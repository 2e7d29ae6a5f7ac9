"""When two values are one vote."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.values import group_equal, values_equal, voting_key


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("13,900", "13900"),
        ("80-90", "[80, 90]"),
        ("[90,80]", "80–90"),
        ("True", "1"),
        ("no", "0"),
        ("55%", "55"),
        ("55.56", "55.6"),
        ("1000", "1001"),
        ("2.51M", "2510000"),
        ("Water consumption", "water  consumption"),
        ("the ML.ENERGY Benchmark", "ML.ENERGY benchmark."),
        ("Water usage effectiveness (WUE)", "water usage effectiveness"),
        ("is_blank", ""),
        ("5 kWh", "5 Kilowatt-hours"),
        ("5 kWh", "5000 Wh"),
        ("300 Watts to 1 Kilowatt", "[300,1000]"),
    ],
)
def test_values_that_say_the_same_agree(first, second):
    assert values_equal(first, second)
    assert values_equal(second, first)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("1000", "1001.2"),
        ("0", "0.0005"),
        ("0", "is_blank"),
        ("80", "[80,90]"),
        ("[80,90]", "[80,91]"),
        ("-5", "5"),
        ("GPT-3", "GPT-4"),
        ("1 kWh", "1 MWh"),
        ("1 kWh", "1 L"),
        ("2020-2021", "2020"),
        ("1", "one"),
    ],
)
def test_values_that_differ_do_not_agree(first, second):
    assert not values_equal(first, second)
    assert not values_equal(second, first)


def test_keys_are_canonical():
    assert voting_key("80 – 90 %") == voting_key("[80,90]") == "[80,90]"
    assert voting_key("TRUE") == voting_key("1.0") == "1"
    assert voting_key("The A") == "a"
    assert voting_key("the") == "the"


def test_groups_stand_in_the_order_of_their_first_value():
    assert group_equal(["7", "80-90", "is_blank", "7.001", "[80,90]", "", "x"]) == [[0, 3], [1, 4], [2, 5], [6]]


@given(st.lists(st.sampled_from(["1", "1.0", "True", "2", "x", "X ", "", "[1,2]", "1-2"]), max_size=8))
def test_every_value_is_in_one_group_with_its_equals(values):
    groups = group_equal(values)
    assert sorted(place for group in groups for place in group) == list(range(len(values)))
    assert all(values_equal(values[group[0]], values[place]) for group in groups for place in group)
