"""The state of each box of a PDF is kept: drawn ones, ticked in one way or another, and those of forms."""

import pymupdf
import pytest

from kohaku_lib.documents.formats.pdf.parse_pdf import parse_pdf
from kohaku_lib.settings import DocumentsSettings

BLACK, WHITE, BLUE = (0, 0, 0), (1, 1, 1), (0.2, 0.4, 0.9)


@pytest.fixture
def page():
    with pymupdf.open() as document:
        yield document.new_page()


def texts(page, tmp_path):
    page.parent.save(tmp_path / "a.pdf")
    payload = parse_pdf(tmp_path / "a.pdf", "a", DocumentsSettings())
    return [one.text for section in payload.sections for one in section.paragraphs]


def square(page, x, y, side=10, fill=None):
    page.draw_rect(pymupdf.Rect(x, y, x + side, y + side), color=BLACK, fill=fill, width=0.75)


def filled(page, x, y):
    square(page, x, y, fill=BLACK)


def with_a_square(page, x, y):
    square(page, x, y)
    page.draw_rect(pymupdf.Rect(x + 2, y + 2, x + 8, y + 8), color=None, fill=BLACK)


def with_a_cross(page, x, y):
    square(page, x, y, fill=WHITE)
    page.draw_line((x + 2, y + 2), (x + 8, y + 8))
    page.draw_line((x + 2, y + 8), (x + 8, y + 2))


def with_a_check(page, x, y):
    square(page, x, y)
    page.draw_polyline([(x + 2, y + 5), (x + 4, y + 8), (x + 8, y + 2)])


@pytest.mark.parametrize("draw", [filled, with_a_square, with_a_cross, with_a_check])
def test_ticked_and_empty_boxes_are_told_apart(page, tmp_path, draw):
    for x, label in ((100, "Yes"), (170, "No")):
        page.insert_text((x + 16, 109), label)
    draw(page, 100, 100)
    square(page, 170, 100)
    assert texts(page, tmp_path) == ["☒ Yes ☐ No"]


def test_boxes_within_one_line_of_text_stand_where_they_are_drawn(page, tmp_path):
    page.insert_text((100, 109), "Insured:       Yes       No", fontname="cour", fontsize=10)  # 6 points a letter
    square(page, 172, 100)
    with_a_cross(page, 232, 100)
    assert texts(page, tmp_path) == ["Insured: ☐ Yes ☒ No"]


def test_a_box_behind_its_label_is_written_behind_it(page, tmp_path):
    page.insert_text((100, 109), "Insured")
    with_a_cross(page, 146, 100)
    assert texts(page, tmp_path) == ["Insured ☒"]


def test_boxes_in_the_cells_of_a_table_are_in_their_cells(page, tmp_path):
    for at, (label, tick) in enumerate([("Part", None), ("Roof", with_a_cross), ("Wall", square)]):
        page.insert_text((104, 114 + 20 * at), label)
        page.insert_text((264, 114 + 20 * at), "Done" if tick is None else "Ann")
        if tick is not None:
            tick(page, 250, 105 + 20 * at)
    for y in range(100, 161, 20):
        page.draw_line((100, y), (400, y))
    for x in (100, 240, 400):
        page.draw_line((x, 100), (x, 160))
    assert texts(page, tmp_path) == ["| Part | Done |\n| --- | --- |\n| Roof | ☒ Ann |\n| Wall | ☐ Ann |"]


def test_boxes_of_forms_have_their_states_and_their_ticks_are_no_text(page, tmp_path):
    kinds = (pymupdf.PDF_WIDGET_TYPE_CHECKBOX, pymupdf.PDF_WIDGET_TYPE_RADIOBUTTON)
    for row, kind in enumerate(kinds):
        for x, label, is_on in ((100, "Yes", True), (170, "No", False)):
            page.insert_text((x + 16, 109 + 40 * row), label)
            field = pymupdf.Widget()
            field.field_type, field.field_name, field.field_value = kind, f"{label}{row}", is_on
            field.rect = pymupdf.Rect(x, 98 + 40 * row, x + 12, 110 + 40 * row)
            page.add_widget(field)
    assert texts(page, tmp_path) == ["☒ Yes ☐ No", "☒ Yes ☐ No"]


def test_the_square_that_is_drawn_for_a_field_is_no_second_box(page, tmp_path):
    page.insert_text((116, 109), "Agree")
    square(page, 101, 99)
    field = pymupdf.Widget()
    field.field_type, field.field_name = pymupdf.PDF_WIDGET_TYPE_CHECKBOX, "agree"
    field.rect = pymupdf.Rect(100, 98, 112, 110)
    page.add_widget(field)
    assert texts(page, tmp_path) == ["☐ Agree"]


def legend(page):
    page.draw_rect(pymupdf.Rect(100, 100, 110, 110), color=BLACK, fill=BLUE)


def only_black(page):
    filled(page, 100, 100)


def grid(page):
    for x in (80, 90, 100):
        square(page, x, 100)


def large(page):
    square(page, 70, 90, side=40)


def letter(page):
    square(page, 100, 100)
    page.insert_text((102, 109), "A")


@pytest.mark.parametrize("draw", [legend, only_black, grid, large, letter])
def test_other_squares_are_no_boxes(page, tmp_path, draw):
    draw(page)
    page.insert_text((116, 109), "Sales")
    assert not {"☐", "☒"} & set("".join(texts(page, tmp_path)))
