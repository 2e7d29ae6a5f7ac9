"""Dates and months in one spelling."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.text.dates import plain_dates


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("2025-03", "March 2025"),
        ("03/2025", "March 2025"),
        ("Mar 2025", "March 2025"),
        ("März 2025", "March 2025"),
        ("Apr-25", "April 2025"),
        ("2025-03-14", "14 March 2025"),
        ("14.3.2025", "14 March 2025"),
        ("14. März 2025", "14 March 2025"),
        ("the 3rd of May 2022", "the 3 May 2022"),
        ("May 3rd, 2022", "3 May 2022"),
        ("07/21/2016", "21 July 2016"),
        ("21/07/2016", "21 July 2016"),
    ],
)
def test_every_spelling_of_a_date_becomes_the_same_words(text, plain):
    assert plain_dates(text).text == plain


@pytest.mark.parametrize(
    "text",
    ["03/04/2025", "2019-20", "you may 25", "13/2025", "2025-13-01", "AX-2025-03-1", "1.2.2024.7", "Marc-25", ""],
)
def test_what_is_no_date_or_can_be_read_in_two_ways_stays(text):
    assert plain_dates(text).text == text


def test_spans_are_found_again_in_both_directions_and_dates_are_taken_whole():
    found = plain_dates("On 2025-03-14 it rained, and in Apr-25 too.")
    assert found.text == "On 14 March 2025 it rained, and in April 2025 too."
    for plain, original in (("March", (3, 13)), ("rained", (17, 23)), ("April 2025", (32, 38)), ("too", (39, 42))):
        start = found.text.index(plain)
        assert found.original_span(start, start + len(plain)) == original
    assert found.plain_span(3, 7) == (3, 16)


@given(st.text(alphabet="a 2025-31/.Mar", max_size=40))
def test_rewriting_a_second_time_changes_nothing_and_the_rest_of_the_text_stays(text):
    once = plain_dates(text)
    assert plain_dates(once.text).text == once.text
    for (start, end), (low, high) in once.changes:
        assert once.original_span(start, end) == (low, high)
