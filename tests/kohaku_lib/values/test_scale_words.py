"""The scale that an answer's own words give to its number."""

import pytest

from kohaku_lib.values import scale_by_words


@pytest.mark.parametrize(
    ("value", "answer", "unit", "scaled"),
    [
        ("5.439", "It used 5.439 million liters in all.", "liters", "5439000"),
        ("5.439", "It used 5.439 million litres.", "L", "5439000"),
        ("2.51", "The health cost is $2.51 million, which is more.", "USD", "2510000"),
        ("2.51", "The health cost is 2.51 million US dollars.", "USD", "2510000"),
        ("3", "3 thousand metric tons of CO2e", "tCO2e", "3000"),
        ("40", "40 billion parameters", "parameters", "40000000000"),
        # another unit, another number, no words, a scaled unit, no unit, no number
        ("5.439", "It used 5.439 million gallons.", "liters", "5.439"),
        ("2.51", "€2.51 million", "USD", "2.51"),
        ("5", "It used 2.5 million liters.", "liters", "5"),
        ("5", "It used 5 liters, not a million liters.", "liters", "5"),
        ("5.439", "It used 5.439 million liters.", "million liters", "5.439"),
        ("5.439", "It used 5.439 million liters.", None, "5.439"),
        ("GPT", "GPT million liters", "liters", "GPT"),
        ("5.439", "", "liters", "5.439"),
    ],
)
def test_a_number_is_scaled_only_by_its_own_words_and_unit(value, answer, unit, scaled):
    assert scale_by_words(value, answer, unit) == scaled
