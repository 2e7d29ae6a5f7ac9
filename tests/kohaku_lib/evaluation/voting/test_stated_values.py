"""Whether words state a value: numbers up to a power of ten, both bounds of a range, names in any case."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.evaluation.voting.stated_values import states_value


@pytest.mark.parametrize(
    ("words", "value", "stated"),
    [
        ("It emitted 1,438 lbs.", "1438", True),
        ("It emitted 1,438 lbs.", "1439", True),  # within 0.1 %
        ("It emitted 1,438 lbs.", "1440", False),
        ("About 18 % of it.", "0.18", True),
        ("It took 4.7 million liters.", "4.7", True),
        ("Two of them did.", "2", True),
        ("GPT-3 did it.", "3", False),
        ("None was lost, 0 in all.", "0", True),
        ("It was 10.", "0", False),
        ("From 80 to 90 W.", "[80,90]", True),
        ("It was 80 W.", "[80,90]", False),
        ("The ml.energy   benchmark measures it.", "ML.ENERGY Benchmark", True),
        ("Another one measures it.", "ML.ENERGY Benchmark", False),
        ("", "80", None),
        (" \n", "a name", None),
    ],
)
def test_words_state_a_value_or_not(words, value, stated):
    assert states_value(words, value) is stated


@given(st.integers(0, 10**9), st.sampled_from(["It was {}.", "{} of them", "between 1 and {} kg"]))
def test_a_number_that_stands_in_the_words_is_stated(number, sentence):
    assert states_value(sentence.format(number), str(number))


@given(st.integers(1, 10**6), st.integers(-6, 6))
def test_a_number_is_stated_in_every_power_of_ten(number, power):
    assert states_value(f"It was {number} kg.", f"{number}e{power}")
