"""Columns of a table of aligned numbers, the cells in them, and headers over several of them."""

import pytest

from kohaku_lib.documents.formats.pdf.tables.aligned import BodyRow, join_wrapped_rows
from kohaku_lib.documents.formats.pdf.tables.table_columns import Columns, column_of, columns_of, place_row
from kohaku_lib.documents.formats.pdf.tables.table_heads import merge_headers
from kohaku_lib.documents.formats.pdf.tables.tables import is_amount, is_number
from kohaku_lib.documents.formats.pdf.text.page_text import Box, Line

COLUMNS = Columns(((50, 51), (200, 230), (300, 330)))


def cell(text, x0, x1, y0=100):
    return Line(text, Box(x0, y0, x1, y0 + 10), 10.0, False, 0)


def row(y0, *cells):
    return [cell(text, x0, x1, y0) for text, x0, x1 in cells]


ROWS = [
    row(100, ("small", 50, 80), ("45", 210, 230), ("1.5", 305, 330)),
    row(112, ("large model", 50, 110), ("1,287", 200, 230), ("12.5", 300, 330)),
]


def test_numbers_that_overlap_form_a_column_and_labels_the_first():
    assert columns_of(ROWS, [], Box(50, 100, 330, 122)).spans == ((50, 51), (200, 230), (300, 330))


def test_words_beside_the_numbers_form_columns_of_their_own():
    rows = [row(100, ("small", 50, 80), ("north", 120, 150), ("45", 210, 230)), ROWS[1]]
    assert columns_of(rows, [], Box(50, 100, 330, 122)).spans == ((50, 51), (120, 150), (200, 230), (300, 330))


def test_a_rule_below_each_header_determines_the_columns():
    rules = [Box(190, 95, 240, 95.5), Box(290, 95, 340, 95.5)]
    assert columns_of(ROWS, rules, Box(50, 100, 340, 122)).spans == ((50, 51), (190, 240), (290, 340))


def test_rows_without_numbers_have_no_columns():
    assert columns_of([row(100, ("a", 50, 60), ("b", 100, 110))], [], Box(50, 100, 110, 110)).spans == ()


@pytest.mark.parametrize(
    ("box", "position", "column"),
    [
        (Box(50, 100, 80, 110), 0, 0),
        (Box(50, 100, 260, 110), 0, 0),  # a long label over the first column
        (Box(205, 100, 230, 110), 0, 1),  # no label in this row
        (Box(180, 100, 235, 110), 0, 1),  # indented, and above the column
        (Box(210, 100, 230, 110), 1, 1),
        (Box(290, 100, 335, 110), 2, 2),
        (Box(240, 100, 260, 110), 1, 1),  # in neither: the nearest
        (Box(275, 100, 290, 110), 1, 2),
    ],
)
def test_a_cell_belongs_to_the_column_it_overlaps_most(box, position, column):
    assert column_of(box, COLUMNS, position) == column


def test_a_row_is_placed_by_column_and_a_trailing_currency_sign_moves_on():
    cells = row(100, ("Total", 50, 80), ("1,690 $", 200, 235), ("12", 310, 330))
    assert place_row(cells, COLUMNS) == ["Total", "1,690", "$ 12"]


def test_two_cells_of_one_column_are_joined():
    cells = row(100, ("Total", 50, 80), ("about", 200, 215), ("12", 216, 230))
    assert place_row(cells, COLUMNS) == ["Total", "about 12", ""]


def test_a_header_above_each_column_is_its_own():
    headers = [row(80, ("Model", 50, 80), ("2021", 205, 230), ("2022", 305, 330))]
    assert merge_headers(headers, COLUMNS) == ["Model", "2021", "2022"]
    assert merge_headers([], COLUMNS) == ["", "", ""]


def test_a_header_centred_over_two_columns_is_repeated_in_both():
    headers = [
        row(68, ("Energy", 250, 280)),
        row(80, ("Model", 50, 80), ("2021", 205, 230), ("2022", 305, 330)),
    ]
    assert merge_headers(headers, COLUMNS) == ["Model", "Energy 2021", "Energy 2022"]


def test_a_header_with_a_rule_below_covers_the_columns_under_the_rule():
    headers = [row(68, ("Energy used", 200, 250))]
    rule = Box(195, 80, 335, 80.5)
    assert merge_headers(headers, COLUMNS, [rule]) == ["", "Energy used", "Energy used"]


def body(y0, *cells):
    return BodyRow(list(cells), Box(50, y0, 330, y0 + 10))


def joined(*rows):
    return [found.cells for found in join_wrapped_rows(rows)]


def test_a_label_continues_below_if_that_begins_in_lower_case_or_it_ends_with_a_linking_word():
    assert joined(body(100, "Energy of", ""), body(112, "all models", "45")) == [["Energy of all models", "45"]]
    assert joined(body(100, "Energy and", ""), body(112, "Water", "45")) == [["Energy and Water", "45"]]
    assert joined(body(100, "Energy", ""), body(112, "Water", "45")) == [["Energy", ""], ["Water", "45"]]


def test_rows_with_numbers_of_their_own_are_never_joined():
    assert joined(body(100, "Energy of", "12"), body(112, "all models", "45")) == [
        ["Energy of", "12"],
        ["all models", "45"],
    ]


def test_a_heading_of_a_group_is_no_beginning_of_a_label():
    assert joined(body(100, "Of which:", ""), body(112, "water", "45")) == [["Of which:", ""], ["water", "45"]]


def test_words_without_a_label_continue_the_words_above():
    assert joined(body(100, "Site", "north"), body(112, "", "east")) == [["Site", "north east"]]
    assert joined(body(100, "Site", "45"), body(112, "", "east")) == [["Site", "45"], ["", "east"]]


def test_a_row_too_far_below_is_a_row_of_its_own():
    assert joined(body(100, "Energy of", ""), body(131, "all models", "45"))[0] == ["Energy of", ""]


@pytest.mark.parametrize(
    "text", ["12", "-1.5", "(3.2)%", "~ 40", "1 287 552", "$ 5", "3x", "±0.5", "—", "n/a", "1,690 $", "10^6"]
)
def test_numbers_and_their_placeholders_are_numeric_cells(text):
    assert is_number(text)


@pytest.mark.parametrize("text", ["", "Total", "12 31", "1 to 2", "GPT-3", "a" * 30, "1" * 30])
def test_words_and_pairs_of_numbers_are_not(text):
    assert not is_number(text)


@pytest.mark.parametrize(
    ("text", "amount"),
    [("2021", False), ("FY 2021", False), ("2021A", False), ("1899", True), ("2,021", True), ("—", True)],
)
def test_a_year_is_no_amount(text, amount):
    assert is_amount(text) is amount
