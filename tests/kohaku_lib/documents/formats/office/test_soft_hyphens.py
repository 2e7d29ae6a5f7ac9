"""Soft hyphens, which are not seen, are in no text."""

from openpyxl import Workbook
from pptx import Presentation
from pptx.util import Inches

from kohaku_lib.documents import parse_file

WORD = "Wasser\xadkocher"


def test_slides(tmp_path):
    slides = Presentation()
    slide = slides.slides.add_slide(slides.slide_layouts[5])
    slide.shapes.title.text = WORD
    slide.shapes.add_textbox(0, Inches(2), Inches(2), Inches(1)).text_frame.text = WORD
    slide.shapes.add_table(1, 1, 0, Inches(4), Inches(2), Inches(1)).table.cell(0, 0).text = WORD
    slides.save(tmp_path / "a.pptx")
    section = parse_file(tmp_path / "a.pptx").sections[0]
    assert section.title == "Wasserkocher"
    assert [one.text for one in section.paragraphs] == ["Wasserkocher", "| Wasserkocher |\n| --- |"]


def test_cells(tmp_path):
    book = Workbook()
    book.active["A1"] = WORD
    book.save(tmp_path / "a.xlsx")
    assert parse_file(tmp_path / "a.xlsx").text == "Wasserkocher"
