"""Regions of a layout part the paragraphs, name the headings and mark what runs along the edges."""

import pytest

from kohaku_lib.documents.formats.pdf.headings import body_size, mark_headings
from kohaku_lib.documents.formats.pdf.layout_engine import LayoutRegion
from kohaku_lib.documents.formats.pdf.page_reader import layout_blocks, without_marked_furniture
from kohaku_lib.documents.formats.pdf.tables.tables import PageTable
from kohaku_lib.documents.formats.pdf.text.page_text import Box, Line, PageText

WIDTH, HEIGHT = 600.0, 800.0


def line(text, x, y, size=10.0, bold=False, width=None):
    return Line(text, Box(x, y, x + (width or 5.0 * len(text)), y + 12), size, bold, 0)


def page(*lines):
    return PageText(1, WIDTH, HEIGHT, lines)


def region(kind, x0, y0, x1, y1):
    return LayoutRegion(kind, Box(x0, y0, x1, y1))


def texts(page, regions, tables=()):
    shown = without_marked_furniture(page, regions)
    return [block.text for block in layout_blocks(shown, regions, tables, frozenset())]


FIRST = line("The first paragraph of the page goes on", 50, 200)
SECOND = line("into a second line without a full stop", 50, 214)


def test_a_paragraph_never_reaches_over_two_regions():
    assert texts(page(FIRST, SECOND), []) == [f"{FIRST.text} {SECOND.text}"]
    apart = [region("text", 50, 199, 260, 213), region("text", 50, 213, 260, 227)]
    assert texts(page(FIRST, SECOND), apart) == [FIRST.text, SECOND.text]


def test_lines_of_a_region_come_together_in_the_place_of_its_first_line():
    left, right = line("left one", 50, 200), line("right one", 300, 201)
    below = line("left two", 50, 214)
    cards = [region("text", 49, 199, 200, 230), region("text", 299, 199, 500, 230)]
    assert texts(page(left, right, below), cards) == ["left one left two", "right one"]


def test_lines_without_a_region_are_read_as_ever():
    tail = line("Another ends here.", 50, 300)
    assert texts(page(FIRST, SECOND, tail), [region("text", 50, 299, 400, 313)]) == [
        f"{FIRST.text} {SECOND.text}",
        tail.text,
    ]


def test_the_innermost_of_nested_regions_counts():
    regions = [region("text", 40, 190, 400, 240), region("caption", 50, 213, 260, 227)]
    assert texts(page(FIRST, SECOND), regions) == [FIRST.text, SECOND.text]


@pytest.mark.parametrize("kind", ["page-header", "page-footer"])
def test_running_lines_at_the_edges_are_removed(kind):
    top, bottom = line("Journal of Amber", 50, 20), line("7", 300, 780)
    regions = [region(kind, 40, 15, 200, 40), region(kind, 290, 775, 320, 795)]
    assert texts(page(top, FIRST, SECOND, bottom), regions) == [f"{FIRST.text} {SECOND.text}"]


def test_a_running_header_in_the_middle_of_a_page_is_text():
    assert texts(page(FIRST), [region("page-header", 50, 199, 260, 213)]) == [FIRST.text]


def test_a_page_of_nothing_but_running_lines_stays():
    top = line("Journal of Amber", 50, 20)
    assert texts(page(top), [region("page-header", 40, 15, 200, 40)]) == [top.text]


def test_titles_and_section_headers_are_the_headings():
    plain = line("A plain heading", 50, 100)
    big = line("Large print that is no heading", 50, 150, size=20.0)
    body = [line(f"Body text number {i} of the page stands here.", 50, 300 + 40 * i) for i in range(5)]
    regions = [region("section-header", 49, 99, 200, 113), region("text", 49, 149, 400, 163)]
    shown = page(plain, big, *body)
    blocks = layout_blocks(shown, regions, (), frozenset())
    mark_headings(blocks, body_size([shown]), {})
    assert [block.text for block in blocks if block.kind == "heading"] == ["A plain heading"]


def test_tables_are_in_their_place_and_their_text_is_not_repeated():
    inside = line("45", 60, 250)
    after = line("After the table.", 50, 320)
    table = PageTable((("Year", "kWh"), ("2023", "45")), Box(50, 240, 300, 290))
    assert texts(page(FIRST, inside, after), [], [table]) == [
        FIRST.text,
        "| Year | kWh |\n| --- | --- |\n| 2023 | 45 |",
        after.text,
    ]


def test_regions_leave_no_private_marks_in_the_text():
    blocks = layout_blocks(page(FIRST), [region("text", 50, 199, 260, 213)], (), frozenset())
    assert [key for key in blocks[0].metadata if not key.startswith("_")] == []
