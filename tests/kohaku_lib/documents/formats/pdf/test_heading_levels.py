"""Levels of headings: outline, divisions, numbers, style; and that they nest."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.documents.formats.pdf.blocks import Block
from kohaku_lib.documents.formats.pdf.headings import heading_levels
from kohaku_lib.documents.formats.pdf.text.page_text import Box

BODY = 10.0


def heading(text, size=10.0, bold=True, page=2, italic=False):
    return Block("text", text, page, Box(50, 100, 300, 110), size, bold, italic=italic)


def levels(headings, outline=None, pages=2):
    named = {id(headings[index]): level for index, level in (outline or {}).items()}
    return heading_levels(headings, named, BODY, pages)


def test_parts_outrank_items_and_items_notes_and_notes_other_headings_of_their_size():
    found = [heading(text) for text in ("PART II", "Item 8. Statements", "NOTE 2. Revenue", "Contract balances")]
    assert levels(found) == [1, 2, 3, 4]


def test_the_next_item_closes_the_notes_of_the_one_before():
    found = [heading(text) for text in ("Item 1. Business", "General", "Item 2. Properties", "General")]
    assert levels(found) == [1, 2, 1, 2]


def test_a_larger_heading_is_not_beneath_a_division():
    assert levels([heading("Appendix A. Proofs", 12.0), heading("Index", 18.0)]) == [1, 1]


def test_numbers_go_by_their_depth_whatever_their_style():
    found = [heading("1. Introduction"), heading("1.1 Aims"), heading("1.1.1 Scope"), heading("2. Methods")]
    assert levels(found) == [1, 2, 3, 1]


def test_headings_without_number_are_equal_to_numbered_ones_of_their_style():
    found = [
        heading("Abstract", 12),
        heading("1. Introduction", 12),
        heading("1.1 Aims", 11),
        heading("References", 12),
    ]
    assert levels(found) == [1, 1, 2, 1]


def test_a_numbered_item_in_a_lesser_style_stays_beneath_a_deeper_number():
    assert levels([heading("3.2 Results", 14), heading("1. First finding", 10)]) == [1, 2]


def test_size_then_weight_then_capitals_then_slant():
    found = [
        heading("Large", 14),
        heading("BOLD CAPITALS"),
        heading("Bold"),
        heading("Bold slanted", italic=True),
        heading("LIGHT CAPITALS", bold=False),
    ]
    assert levels(found) == [1, 2, 3, 4, 5]


def test_sizes_that_differ_by_less_than_a_tenth_of_the_text_are_one():
    assert levels([heading("One", 12.0), heading("Two", 12.3)]) == [1, 1]


def test_the_outline_goes_first_and_what_it_leaves_out_is_beneath_it():
    found = [heading("Part of the outline", 12), heading("Left out", 11), heading("Deep", 12), heading("High", 12)]
    assert levels(found, {0: 1, 2: 2, 3: 1}) == [1, 2, 2, 1]


def test_the_title_on_a_cover_holds_nothing_beneath_it():
    cover = heading("Annual Report", 24, page=1)
    assert levels([cover, heading("Results", 12), heading("Outlook", 12)], pages=9) == [1, 1, 1]
    assert levels([cover, heading("Results", 12), heading("Outlook", 12)], pages=2) == [1, 2, 2]


def test_no_level_is_deeper_than_six():
    found = [heading(".".join("1" * depth) + " Deep") for depth in range(1, 6)]
    small = [heading("Slanted", 10, italic=True), heading("Light", 10, bold=False), heading("Smaller", 9)]
    assert levels([heading("Item 1. Top"), *found, *small])[-3:] == [6, 6, 6]


@given(st.lists(st.tuples(st.sampled_from([9.0, 10.0, 12.0, 16.0]), st.booleans(), st.integers(1, 3)), max_size=12))
def test_a_level_is_at_most_one_deeper_than_the_one_before(styles):
    found = [heading("1" + ".1" * (depth - 1) + " Word", size, bold) for size, bold, depth in styles]
    given_levels = levels(found)
    assert all(1 <= level <= 6 for level in given_levels)
    assert all(after <= before + 1 for before, after in pairwise(given_levels))
    assert given_levels[:1] in ([], [1])
