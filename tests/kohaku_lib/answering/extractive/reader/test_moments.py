"""Which end of "from … to …" a question asks for, and when it asks for neither."""

import pytest

from kohaku_lib.answering.extractive.reader.moments import asked_moment

HOURS = "The market is open from 9:30 to 17:00."
DAYS = "The sale runs from 3 June to 5 July."
YEARS = "The mill was run by the town from 1895 to 1931."


@pytest.mark.parametrize(
    ("question", "text", "moment"),
    [
        ("What time does it open?", HOURS, "9:30"),
        ("At what time does it close?", HOURS, "17:00"),
        ("When does it start?", HOURS, "9:30"),
        ("On what day does it start?", DAYS, "3 June"),
        ("What date does it end?", DAYS, "5 July"),
        ("On what day does it end?", "It lasts from 2026-06-03 until 2026-07-05.", "2026-07-05"),
        ("On what day does it start?", "It lasts from 3 to 5 July.", "3 July"),
        ("When did that end?", YEARS, "1931"),
        ("When is the sale over?", DAYS, "5 July"),
        ("When does the market open until?", HOURS, "17:00"),
        ("At what time does it end?", "It lasts from 9 to 11 pm.", "11 pm"),
        ("At what time does it start?", "It lasts from 9 to 11 pm.", "9 pm"),
    ],
)
def test_the_moment_is_of_the_kind_that_is_asked_for(question, text, moment):
    assert asked_moment(question, text)[2] == moment


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("On what day does it start?", HOURS),
        ("What date does it end?", HOURS),
        ("What time does it start?", DAYS),
        ("On what day did that end?", YEARS),
        ("When was the mill taken over?", YEARS),
        ("When is the mill handed over?", YEARS),
        ("When is it?", DAYS),
        ("When does it start and end?", DAYS),
        ("Who started it?", DAYS),
        ("When does it start?", "One sale runs from 3 June to 5 July, one from 1 to 4 May."),
        ("When does it start?", "The 2 sales run from 3 June to 5 July."),
    ],
)
def test_another_kind_of_moment_and_an_open_end_are_none(question, text):
    assert asked_moment(question, text) is None
