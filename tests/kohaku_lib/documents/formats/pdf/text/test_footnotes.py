"""Which paragraphs of a page are footnotes, and that they stay out of the running text."""

import pytest

from kohaku_lib.documents.formats.pdf.blocks import Block
from kohaku_lib.documents.formats.pdf.text.continuation import join_continued
from kohaku_lib.documents.formats.pdf.text.footnotes import is_footnote, mark_footnotes
from kohaku_lib.documents.formats.pdf.text.hyphens import vocabulary_of
from kohaku_lib.documents.formats.pdf.text.page_text import Box

NO_WORDS = vocabulary_of([])
BODY = "The running text of the page goes on for a good while and is longer than what stands beneath it."
HEIGHT = 800.0


def block(text, y0, size=10.0, region=0, page=1, kind="text", raised=False):
    return Block(kind, text, page, Box(50, y0, 300, y0 + 30), size, region=region, raised=raised)


def notes(blocks):
    mark_footnotes(blocks, HEIGHT)
    return [item.text for item in blocks if is_footnote(item)]


@pytest.mark.parametrize(
    "note",
    ["1 See the annual report.", "* Not audited.", "† Deceased.", "12. Ibid.", "*Including the north.", "a A lake."],
)
def test_small_print_with_a_mark_at_the_end_of_a_column_is_a_footnote(note):
    assert notes([block(BODY, 100), block(note, 700, size=8.0)]) == [note]


def test_a_raised_beginning_is_a_mark_whatever_it_is():
    assert notes([block(BODY, 100), block("b see above", 700, size=8.0, raised=True)]) == ["b see above"]


def test_what_follows_the_first_note_belongs_to_it():
    column = [block(BODY, 100), block("1 The first note.", 680, 8.0), block("its second paragraph", 720, 8.0)]
    assert notes(column) == ["1 The first note.", "its second paragraph"]


def test_every_column_has_its_own_notes():
    page = [
        block(BODY, 100, region=1),
        block("1 Left note.", 700, 8.0, region=1),
        block(BODY, 100, region=2),
        block("2 Right note.", 700, 8.0, region=2),
    ]
    assert notes(page) == ["1 Left note.", "2 Right note."]


@pytest.mark.parametrize(
    ("size", "y0", "text"),
    [
        (10.0, 700, "1 As large as the text."),
        (8.0, 100, "1 Small print at the top."),
        (8.0, 700, "Small print without any mark."),
        (8.0, 700, "Table 2: A caption in small print"),
    ],
)
def test_other_paragraphs_are_no_footnotes(size, y0, text):
    assert notes([block(BODY, 300), block(text, y0, size)]) == []


def test_small_print_that_text_follows_is_no_footnote():
    assert notes([block("1 A small remark.", 400, 8.0), block(BODY, 600)]) == []


def test_notes_may_hold_more_letters_than_the_text():
    long_note = "1 " + "A note of many words that fills the page. " * 6
    assert notes([block(BODY, 100), block(long_note, 400, 8.0)]) == [long_note]


def test_entries_beneath_the_heading_of_a_bibliography_are_no_footnotes():
    page = [block(BODY, 100), block("References", 600), block("1. A. Bee. On hives. 2020.", 700, 8.0)]
    assert notes(page) == []


def test_the_body_goes_on_past_a_footnote_and_the_note_past_the_body():
    body = block("The text of the first page goes on after the", 100, page=1, region=1)
    note = block("1 A note that is too long for the first page and", 700, 8.0, page=1, region=1)
    rest = block("break and ends here.", 100, page=2, region=2)
    more = block("1 a rest of the first note.", 700, 8.0, page=2, region=2)
    for item in (note, more):
        item.metadata["content_type"] = "footnote"
    more.text = "ends on the second."
    joined = join_continued([body, note, rest, more], NO_WORDS)
    assert [item.text for item in joined] == [
        "The text of the first page goes on after the break and ends here.",
        "1 A note that is too long for the first page and ends on the second.",
    ]
