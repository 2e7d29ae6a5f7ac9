"""Durations from two times of day."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.answering.extractive.reader.clock_times import clock_spans, minutes_between


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("from 9:00 to 11:30", 150),
        ("from 9 am to 1 pm", 240),
        ("from 7 to 9 pm", 120),
        ("from 11 to 2 pm", 180),
        ("from 12 am to 1 am", 60),
        ("22:30-01:00", 150),
        ("von 8 bis 16 Uhr", 480),
        ("It began at 18:30 and ended at 20:45.", 135),
        ("Beginn: 18:30 Uhr, Ende: 20:45 Uhr", 135),
        ("3 to 4 people", None),
        ("pages 8 to 16", None),
        ("It costs 1.50 to 2.75€.", None),
        ("It began at 18:30.", None),
    ],
)
def test_minutes_lie_between_two_times_of_day_only(text, expected):
    assert minutes_between(text, 0, len(text)) == expected


def test_of_two_pairs_the_one_at_the_span_counts_and_neither_elsewhere():
    text = "Pool 6:00-8:00, sauna 16:00-21:00, closed on Monday."
    at = text.index("21:00")
    assert minutes_between(text, at, at + 5) == 300
    assert minutes_between(text, text.index("Monday"), len(text)) is None


@given(st.integers(0, 1439), st.integers(0, 1439))
def test_any_two_times_are_less_than_a_day_apart(first, second):
    one, other = (f"{minute // 60:02}:{minute % 60:02}" for minute in (first, second))
    assert minutes_between(f"from {one} to {other}", 0, 20) == (second - first) % 1440


def test_digits_of_times_are_told_from_ratios_of_more_parts():
    assert clock_spans("At 9:05 the mix was 1:2:10.") == [(3, 7)]
