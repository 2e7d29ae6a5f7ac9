"""Values that say the same in another scale or in other words."""

import pytest

from kohaku_lib.evaluation.voting.polls import group_readings


def same(first, second, unit=""):
    return group_readings([first, second], unit) == [[0, 1]]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("5.439", "5439000"),  # million left out
        ("5.439 million", "5.439"),
        ("103,500", "103.5"),
        ("0.00251", "2.51"),
        ("-1.25", "-1250"),
    ],
)
def test_numbers_that_share_their_digits_differ_in_scale_only(first, second):
    assert same(first, second)
    assert same(second, first)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("2", "2000"),  # too few digits to be more than chance
        ("1.20", "1200"),
        ("5.439", "54.39"),  # no scale word stands for ten
        ("5.439", "5440000"),
        ("5.439", "-5439000"),
        ("0", "1"),
        ("0", "5439"),
        ("[1.25,2]", "[1250,2000]"),
    ],
)
def test_other_numbers_stay_apart(first, second):
    assert not same(first, second)


def test_a_fraction_is_its_percentage_only_where_the_unit_allows_it():
    assert same("0.556", "55.6", "percent")
    assert same("0.9", "90", "% of emissions")
    assert not same("0.9", "90", "kWh")
    assert not same("90", "9000", "percent")


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("ML.ENERGY Benchmark", "the ML.ENERGY benchmark"),
        ("ML.ENERGY", "ML.ENERGY Benchmark"),
        ("Financial Sentiment Analysis dataset", "financial-sentiment analysis"),
        ("carbon offsets", "Carbon offset"),
        ("WUE", "Water Usage Effectiveness"),
        ("power usage effectiveness", "PUE"),
    ],
)
def test_names_are_one_whatever_their_dress(first, second):
    assert same(first, second)
    assert same(second, first)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("GPT-3", "GPT-4"),
        ("Transformer", "Switch Transformer"),
        ("water withdrawal", "water consumption"),
        ("model", "dataset"),
        ("W", "water usage"),
        ("GPT-3", "3"),
    ],
)
def test_other_names_stay_apart(first, second):
    assert not same(first, second)


def test_groups_keep_the_order_of_their_first_members():
    assert group_readings(["7", "5439", "8", "5.439", "7.0", "5,439,000"]) == [[0, 4], [1, 3, 5], [2]]
