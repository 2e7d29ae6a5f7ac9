"""Grids drawn on a page become tables, other drawings do not."""

from dataclasses import replace

import pymupdf
import pytest

from kohaku_lib.documents.formats.pdf.tables.ruled import find_ruled_tables
from kohaku_lib.documents.formats.pdf.tables.rules import page_rules
from kohaku_lib.documents.formats.pdf.text.page_text import read_page_text
from kohaku_lib.text.table_rows import markdown_rows

CELLS = [["Model", "Watts"], ["small", "45"], ["large one", "260"]]


@pytest.fixture
def page():
    document = pymupdf.open()
    yield document.new_page()
    document.close()


def found(page):
    text = read_page_text(page, 1)
    return find_ruled_tables(page, replace(text, rules=page_rules(page.get_cdrawings(), text)))


def rule(page, x0, y0, x1, y1):
    page.draw_line((x0, y0), (x1, y1), width=0.8)


def fill(page, cells=CELLS, left=100, top=100, width=90, height=20):
    for row, texts in enumerate(cells):
        for column, text in enumerate(texts):
            page.insert_text((left + width * column + 4, top + height * row + 14), text, fontsize=10)


def across(page, ys, x0=100, x1=280):
    for y in ys:
        rule(page, x0, y, x1, y)


def down(page, xs, y0=100, y1=160):
    for x in xs:
        rule(page, x, y0, x, y1)


def test_a_full_grid_of_lines(page):
    fill(page)
    across(page, [100, 120, 140, 160])
    down(page, [100, 190, 280])
    (table,) = found(page)
    assert table.rows == tuple(tuple(row) for row in CELLS)
    assert [round(v) for v in (table.box.x0, table.box.y0, table.box.x1, table.box.y1)] == [100, 100, 280, 160]


def test_a_grid_without_outer_sides_reaches_to_the_ends_of_its_rules(page):
    fill(page)
    across(page, [100, 120, 140, 160])
    down(page, [190])
    (table,) = found(page)
    assert table.rows[2] == ("large one", "260")


def test_a_grid_of_thin_filled_boxes(page):
    fill(page)
    for y in (100, 120, 140, 160):
        page.draw_rect(pymupdf.Rect(100, y, 280, y + 0.7), fill=(0, 0, 0), color=None, width=0)
    for x in (100, 190, 280):
        page.draw_rect(pymupdf.Rect(x, 100, x + 0.7, 160), fill=(0, 0, 0), color=None, width=0)
    assert found(page)[0].rows[1] == ("small", "45")


def test_two_grids_apart_are_two_tables_from_top_to_bottom(page):
    for top in (400, 100):
        fill(page, top=top)
        across(page, [top, top + 20, top + 40, top + 60])
        down(page, [100, 190, 280], top, top + 60)
    tables = found(page)
    assert [round(table.box.y0) for table in tables] == [100, 400]


def test_wrapped_cells_stay_in_their_row(page):
    page.insert_text((104, 112), "Solar", fontsize=9)
    page.insert_text((104, 124), "roof", fontsize=9)
    page.insert_text((194, 112), "38 kW", fontsize=9)
    page.insert_text((104, 144), "Battery", fontsize=9)
    page.insert_text((194, 144), "35 min", fontsize=9)
    across(page, [100, 130, 150])
    down(page, [100, 190, 280], 100, 150)
    assert found(page)[0].rows == (("Solar roof", "38 kW"), ("Battery", "35 min"))


def test_empty_rows_and_columns_are_left_out(page):
    fill(page, [["a", "", "b"], ["", "", ""], ["c", "", "d"]], width=60)
    across(page, [100, 120, 140, 160])
    down(page, [100, 160, 220, 280])
    assert found(page)[0].rows == (("a", "b"), ("c", "d"))


def no_grid(page):
    fill(page)


def underlines(page):
    fill(page)
    across(page, [100, 120, 140, 160])


def frame(page):
    fill(page)
    page.draw_rect(pymupdf.Rect(100, 100, 280, 160))


def chart(page):
    page.insert_text((100, 90), "A chart", fontsize=10)
    across(page, range(100, 400, 20))
    down(page, range(100, 300, 20), 100, 380)


def layout_boxes(page):
    page.insert_textbox(pymupdf.Rect(102, 102, 278, 600), "prose that fills a column " * 80, fontsize=8)
    across(page, [100, 600, 640])
    down(page, [100, 280, 300], 100, 640)


LINES = ["The yearly fee is paid in four parts", "each at the end of a quarter, and rises", "with the index of prices."]


def oblique_lines(page):
    fill(page, [[text, "", "of 2024"] for text in LINES], height=100)
    rule(page, 100, 400, 300, 90)
    rule(page, 300, 90, 300, 400)
    rule(page, 100, 400, 500, 200)


def rule_through_lines(page):
    fill(page, [[text] for text in LINES])
    across(page, [100, 120, 140, 160], 100, 300)
    down(page, [100, 180, 300])


@pytest.mark.parametrize("draw", [no_grid, underlines, frame, chart, layout_boxes, oblique_lines, rule_through_lines])
def test_other_drawings_are_no_tables(page, draw):
    draw(page)
    assert found(page) == []


def test_a_rule_that_parts_more_cells_than_it_goes_through_stays_a_border(page):
    fill(page, [["Model", "Watts"], ["a model named too long", ""], ["large one", "260"]])
    across(page, [100, 120, 140, 160])
    down(page, [100, 190, 280])
    assert found(page)[0].rows[2] == ("large one", "260")


def test_bars_and_line_breaks_cannot_break_a_row():
    rows = [["a|b", "c\nd"], ["", "e  f"]]
    assert markdown_rows(rows) == "| a\\|b | c d |\n| --- | --- |\n|  | e f |"
