"""Words torn by a gap between two letters become whole by the document's own words."""

import pytest

from kohaku_lib.documents.formats.pdf.text.page_text import Box, Line, PageText
from kohaku_lib.documents.formats.pdf.text.split_words import with_whole_words


def read(*texts):
    lines = [Line(text, Box(50, 20 * row, 300, 20 * row + 10), 10.0, False, 0) for row, text in enumerate(texts)]
    (page,) = with_whole_words([PageText(1, 600.0, 800.0, tuple(lines))])
    return [line.text for line in page.lines]


@pytest.mark.parametrize(
    ("torn", "whole"),
    [
        ("Balance Shee t of the firm", "Balance Sheet of the firm"),
        ("SUMM ARY", "SUMMARY"),
        ("Cash Flow s, audited", "Cash Flows, audited"),
        ("(instrumen ts)", "(instruments)"),
    ],
)
def test_pieces_that_occur_only_together_are_one_word(torn, whole):
    known = [
        "a sheet and a summary",
        "the sheet, its summary",
        "flows of a flow",
        "flows",
        "instruments",
        "instruments",
    ]
    assert read(torn, *known) == [whole, *known]


@pytest.mark.parametrize(
    ("text", "known"),
    [
        ("they take off at dawn", ["takeoff", "takeoff is off limits"]),
        ("one per cent of it", ["percent", "percent per year"]),
        ("Shee t without a proof", ["the sheet"]),
        ("share of Class A", ["classa", "classa"]),
        ("a sum of n terms", ["sumn", "sumn", "ofn", "ofn"]),
        ("on line", ["online", "online on call"]),
    ],
)
def test_two_words_stay_two(text, known):
    assert read(text, *known) == [text, *known]


def test_pages_without_torn_words_are_the_same():
    page = PageText(1, 600.0, 800.0, (Line("a sheet", Box(0, 0, 9, 9), 9.0, False, 0),))
    assert with_whole_words([page])[0] is page
