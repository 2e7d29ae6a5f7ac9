"""Dates with slashes, whose column shows the order of days and months."""

import pytest

from kohaku_lib.answering.citing.support import support_of
from kohaku_lib.answering.extractive.reader.passages import passages_of
from kohaku_lib.answering.extractive.reading_answerer import ReadingAnswerer
from kohaku_lib.tables import Question, Snippet


def snippets_of(*dates):
    rows = "\n".join(f"| {name} | {date} |" for name, date in zip("ABCD", dates, strict=False))
    return [Snippet("d:sec1:p1", "d", "", None, f"| Lift | Tested |\n| --- | --- |\n{rows}", 1, 1.0)]


@pytest.mark.parametrize(
    ("dates", "value"),
    [
        (("03/07/2025", "19/07/2025"), "3 July 2025"),  # day first
        (("03/07/2025", "07/19/2025"), "7 March 2025"),  # month first
        (("03/07/2025", "04/08/2025"), "03/07/2025"),  # nothing decides
        (("03/07/2025", "19/07/2025", "07/19/2025"), "03/07/2025"),  # neither do both
        (("03/07/2025", "19.07.2025"), "03/07/2025"),  # nor another way of writing
    ],
)
def test_a_date_is_told_in_the_order_of_its_column_and_quoted_as_written(dates, value):
    answer = ReadingAnswerer(0.0).answer(Question("q", "When was lift A tested?"), snippets_of(*dates))
    assert (answer.answer_value, answer.quote) == (value, "| A | 03/07/2025 |")
    for date, is_stated in ((value, True), ("4 July 2025", False)):
        assert support_of(Question("q", "When?"), date, answer.quote).states_value is is_stated


def test_each_column_has_its_own_order():
    text = "| Lift | Built | Tested |\n| --- | --- | --- |\n| A | 03/07/2025 | 03/07/2026 |\n| B | 19/07/2025 | 04/07/2026 |"
    [passage] = passages_of([Snippet("d:sec1:p1", "d", "", None, text, 1, 1.0)])
    assert passage.text.startswith("Lift: A; Built: 3 July 2025; Tested: 03/07/2026.")
