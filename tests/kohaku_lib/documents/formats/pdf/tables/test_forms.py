"""A table of labels and values has no header, so that no label is one."""

import pytest

from kohaku_lib.documents.formats.pdf.tables.forms import without_head_of_form
from kohaku_lib.documents.formats.pdf.tables.tables import PageTable
from kohaku_lib.documents.formats.pdf.text.page_text import Box, Line

ROWS = (("Name", "Ada"), ("Town", "Bath"))
HEADLESS = (("", ""), *ROWS)


def table(rows=ROWS):
    width = 100 * len(rows[0])
    boxes = tuple(Box(0, 20 * at, width, 20 * at + 20) for at in range(len(rows)))
    return PageTable(rows, Box(0, 0, width, 40), boxes, edges=tuple(range(0, width + 1, 100)))


def line(x0, x1, *, bold=False, mixed=False, text="x"):
    return Line(text, Box(x0, 5, x1, 15), 10.0, bold, 0, mixed=mixed)


@pytest.mark.parametrize(
    ("lines", "rows"),
    [
        ([line(5, 60, bold=True), line(105, 150)], HEADLESS),
        ([line(5, 150, mixed=True)], HEADLESS),  # a label and its value that the PDF has as one line
        ([line(105, 150, bold=True, text="שם"), line(5, 60, text="דנה")], HEADLESS),
        ([line(5, 60, bold=True), line(105, 150, bold=True)], ROWS),  # a header
        ([line(5, 60), line(105, 150)], ROWS),
        ([line(5, 60), line(105, 150, bold=True)], ROWS),
        ([line(5, 90, mixed=True), line(105, 150, mixed=True)], ROWS),
    ],
)
def test_a_label_in_bold_beside_a_plain_value_is_no_header(lines, rows):
    assert without_head_of_form(table(), lines).rows == rows


def test_a_label_with_a_colon_is_no_header():
    form = (("Name:", "Ada"), ("Town:", "Bath"))
    found = without_head_of_form(table(form), [])
    assert (found.rows, len(found.row_boxes)) == ((("", ""), *form), 3)
    assert without_head_of_form(table((("Name:", "Town:"), ("Ada", "Bath"))), []).rows[0] == ("Name:", "Town:")


def test_tables_of_more_columns_keep_their_header():
    rows = (("Name:", "2023", "2024"), ("Ada", "1", "2"))
    assert without_head_of_form(table(rows), [line(5, 60, bold=True), line(105, 150)]).rows == rows
