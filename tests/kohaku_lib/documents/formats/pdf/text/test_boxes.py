"""Boxes on a page: union, nearness, containment, rotation, and the cleaning of text."""

from functools import reduce
from operator import or_

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.documents.formats.pdf.tables.rows import bounding_box, joined_line
from kohaku_lib.documents.formats.pdf.text.page_text import Box, Line, PageText, normalised_text, page_box, upright_box

SIDES = st.integers(0, 40)
BOXES = st.tuples(SIDES, SIDES, SIDES, SIDES).map(
    lambda s: Box(float(min(s[0], s[2])), float(min(s[1], s[3])), float(max(s[0], s[2])), float(max(s[1], s[3])))
)


def line(text, x0, y0, x1, y1, **rest):
    return Line(
        text, Box(x0, y0, x1, y1), rest.pop("size", 10.0), rest.pop("bold", False), rest.pop("block", 0), **rest
    )


def test_sides_and_area():
    box = Box(10, 20, 40, 30)
    assert (box.width, box.height, box.area) == (30, 10, 300)
    assert Box(5, 5, 5, 9).area == 0


@given(BOXES, BOXES)
def test_a_union_is_the_smallest_box_around_both(a, b):
    whole = a | b
    assert (whole.x0, whole.y0) == (min(a.x0, b.x0), min(a.y0, b.y0))
    assert (whole.x1, whole.y1) == (max(a.x1, b.x1), max(a.y1, b.y1))
    assert whole == b | a


@given(BOXES, BOXES, st.integers(-5, 5))
def test_nearness_is_symmetric_and_grows_with_the_gap(a, b, gap):
    assert a.is_near(b, gap) == b.is_near(a, gap)
    assert b.is_near(a, gap + 1) or not a.is_near(b, gap)


@given(BOXES, BOXES)
def test_boxes_are_near_without_a_gap_where_they_share_a_point(a, b):
    shared = max(a.x0, b.x0) <= min(a.x1, b.x1) and max(a.y0, b.y0) <= min(a.y1, b.y1)
    assert a.is_near(b) == shared


@pytest.mark.parametrize(("gap", "near"), [(4.9, False), (5.0, True)])
def test_the_gap_is_the_distance_of_the_nearest_edges(gap, near):
    assert Box(0, 0, 10, 10).is_near(Box(15, 5, 20, 8), gap) is near
    assert Box(0, 0, 10, 10).is_near(Box(5, 15, 8, 20), gap) is near


@pytest.mark.parametrize(("gap", "near"), [(-4.0, True), (-4.1, False)])
def test_a_negative_gap_demands_that_much_overlap(gap, near):
    assert Box(0, 0, 10, 10).is_near(Box(6, 0, 20, 10), gap) is near  # they share x from 6 to 10


@pytest.mark.parametrize(
    ("other", "slack", "inside"),
    [
        (Box(8, 8, 12, 12), 0.0, True),  # the centre is on the corner
        (Box(9, 8, 13, 12), 0.0, False),
        (Box(9, 8, 13, 12), 1.0, True),
        (Box(-3, 4, 1, 6), 0.0, False),
        (Box(-3, 4, 1, 6), 1.0, True),
        (Box(4, -3, 6, 1), 0.0, False),
        (Box(4, -3, 6, 1), 1.0, True),
        (Box(4, 9, 6, 13), 0.9, False),
        (Box(-40, -40, 50, 50), 0.0, True),  # larger, with the same centre
        (Box(4, 30, 6, 32), 20.0, False),
    ],
)
def test_a_box_contains_the_centre_of_another_up_to_the_slack(other, slack, inside):
    assert Box(0, 0, 10, 10).contains_centre(other, slack) is inside


@given(st.lists(BOXES, min_size=1, max_size=5))
def test_the_bounding_box_of_cells_is_the_union_of_their_boxes(boxes):
    cells = [Line("x", box, 10.0, False, 0) for box in boxes]
    assert bounding_box(cells) == reduce(or_, boxes)


@given(BOXES, st.integers(0, 3))
def test_a_rotation_is_undone_by_the_page(box, turn):
    width, height = 50.0, 80.0
    turned = upright_box((box.x0, box.y0, box.x1, box.y1), turn, (width, height))
    size = (width, height) if turn % 2 == 0 else (height, width)
    assert page_box(turned, PageText(1, *size, (), turn=turn)) == [box.x0, box.y0, box.x1, box.y1]
    assert turned.area == box.area


@pytest.mark.parametrize(
    ("turn", "corner"),
    [(0, Box(0, 0, 10, 5)), (1, Box(195, 0, 200, 10)), (2, Box(90, 195, 100, 200)), (3, Box(0, 90, 5, 100))],
)
def test_the_upper_left_corner_moves_clockwise_with_each_quarter_turn(turn, corner):
    assert upright_box((0, 0, 10, 5), turn, (100, 200)) == corner


def test_boxes_of_a_payload_are_rounded_to_a_tenth_of_a_point():
    assert page_box(Box(1.04, 2.06, 3.0, 4.55), PageText(1, 10, 10, ())) == [1.0, 2.1, 3.0, 4.5]


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("  two\twords ", "two words"),
        ("e\u0301", "é"),
        ("a\u200bb\x07c", "abc"),
        ("``quoted''", "“quoted”"),
        ("ro\u00a0om", "ro om"),
        ("\ud800x", "x"),
        ("", ""),
    ],
)
def test_text_is_normalised_and_freed_of_invisible_characters(text, clean):
    assert normalised_text(text) == clean


@given(st.text())
def test_cleaned_text_is_trimmed_and_clean_again(text):
    once = normalised_text(text)
    assert once == once.strip()
    assert normalised_text(once) == once


def test_a_joined_line_has_the_text_and_box_of_all_and_the_largest_size():
    cells = [line("a", 0, 0, 10, 10, size=8.0, bold=True), line("b", 12, 2, 20, 14, size=10.0, bold=True)]
    joined = joined_line(cells)
    assert (joined.text, joined.box, joined.size) == ("a b", Box(0, 0, 20, 14), 10.0)
    assert (joined.bold, joined.mixed) == (True, False)
    assert joined_line(cells, "").text == "ab"


def test_a_joined_line_of_bold_and_plain_cells_is_mixed():
    joined = joined_line([line("a", 0, 0, 1, 1, bold=True), line("b", 2, 0, 3, 1)])
    assert (joined.bold, joined.mixed) == (False, True)


def test_a_single_cell_is_itself():
    cell = line("a", 0, 0, 1, 1, raised=True)
    assert joined_line([cell]) is cell
