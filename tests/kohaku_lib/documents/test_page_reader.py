"""documents.parser decides which pages the layout engine sees."""

import sys

import pymupdf
import pytest

from kohaku_lib.documents import parse_file
from kohaku_lib.documents.pdf.layout_engine import _engine, layout_regions
from kohaku_lib.documents.pdf.page_blocks import page_blocks
from kohaku_lib.documents.pdf.page_reader import PageReader, needs_layout
from kohaku_lib.documents.pdf.page_text import read_page_text
from kohaku_lib.errors import ModelError
from kohaku_lib.settings import DocumentsSettings

ROWS = [
    ("Task", "Procedure", "Completion", "Knowledge"),
    *((f"Simple instrument {i}", f"0.{i}7", f"0.{i}0", f"0.{i}4") for i in range(1, 9)),
]
PROSE = "Amber is the resin of trees that fell long ago, and it is found on the shore after every storm."


def draw(page, cells=ROWS, lefts=(80, 230, 246, 262), top=200):
    """Write rows whose numbers stand so close that lines alone do not part them."""
    page.insert_textbox((72, 72, 520, 180), PROSE, fontsize=11)
    for row, texts in enumerate(cells):
        for left, text in zip(lefts, texts, strict=True):
            page.insert_text((left, top + 14 * row), text, fontsize=7)


@pytest.fixture
def document():
    opened = pymupdf.open()
    yield opened
    opened.close()


def read(document, parser, number=1):
    text = read_page_text(document[number - 1], number)
    return PageReader(document, parser).blocks(text, [], frozenset())


def asked_pages(document, parser, monkeypatch):
    """Return the numbers of the pages that reach the real engine, found by its one way in."""
    seen = []

    def recorded(page):
        seen.append(page.number + 1)
        return layout_regions(page)

    monkeypatch.setattr("kohaku_lib.documents.pdf.page_reader.layout_regions", recorded)
    for number in range(1, len(document) + 1):
        read(document, parser, number)
    return seen


def test_blocks_never_asks_the_engine(document, monkeypatch):
    draw(document.new_page())
    assert asked_pages(document, "blocks", monkeypatch) == []


def test_layout_asks_about_every_upright_page_with_text(document, monkeypatch):
    draw(document.new_page())
    document.new_page().insert_textbox((72, 72, 520, 180), PROSE)
    document.new_page()
    document.new_page().insert_text((300, 300), PROSE, rotate=90)
    turned = document.new_page()
    turned.insert_text((72, 100), PROSE)
    turned.set_rotation(180)
    assert asked_pages(document, "layout", monkeypatch) == [1, 2]


def test_auto_asks_about_pages_whose_tables_look_wrong(document, monkeypatch):
    draw(document.new_page())
    document.new_page().insert_textbox((72, 72, 520, 180), PROSE)
    assert asked_pages(document, "auto", monkeypatch) == [1]


def test_the_engine_finds_text_and_leaves_pymupdf_as_it_was(document):
    draw(document.new_page())
    before = pymupdf._get_layout
    regions = layout_regions(document[0])
    assert pymupdf._get_layout is before
    text = [region.box for region in regions if region.kind == "text"]
    assert any(box.y0 < 100 and box.x1 > 400 for box in text)


def test_no_letter_is_lost_or_doubled_by_any_way_of_reading(document):
    draw(document.new_page())
    letters = sorted("".join([PROSE, *(cell for row in ROWS for cell in row)]).replace(" ", ""))
    for parser in ("blocks", "auto", "layout"):
        rows = [line for block in read(document, parser) for line in block.text.split("\n") if "---" not in line]
        assert sorted("".join("".join(rows).replace("|", "").split())) == letters


def needs(page):
    text = read_page_text(page, 1)
    return needs_layout(text, page_blocks(text, [], frozenset()))


def test_prose_needs_no_layout(document):
    page = document.new_page()
    page.insert_textbox((72, 72, 290, 700), PROSE * 12)
    page.insert_textbox((320, 72, 540, 700), PROSE * 12)
    assert not needs(page)


def test_a_table_that_the_lines_show_needs_no_layout(document):
    page = document.new_page()
    draw(page, lefts=(80, 230, 330, 430))
    assert not needs(page)


def test_rows_with_two_numbers_in_a_cell_need_layout(document):
    page = document.new_page()
    draw(page)
    assert needs(page)


def test_rows_of_cells_that_no_table_holds_need_layout(document):
    page = document.new_page()
    for row in range(6):
        for column, text in enumerate(("north", "south", "east", "west")):
            page.insert_text((80 + 110 * column, 100 + 30 * row), text, fontsize=9)
    assert needs(page)


def test_an_older_pymupdf_ends_in_one_sentence(document, monkeypatch):
    monkeypatch.setitem(sys.modules, "pymupdf.layout", None)
    _engine.cache_clear()
    with pytest.raises(ModelError, match=r"needs PyMuPDF 2\.0 or newer, got .*'blocks'") as raised:
        layout_regions(document.new_page())
    assert "\n" not in str(raised.value)
    _engine.cache_clear()


def test_a_document_has_the_same_shape_by_every_parser(document, tmp_path):
    draw(document.new_page())
    path = tmp_path / "amber.pdf"
    document.save(path)
    for parser in ("blocks", "layout", "auto"):
        payload = parse_file(path, settings=DocumentsSettings(parser=parser))
        metadata = [paragraph.metadata for section in payload.sections for paragraph in section.paragraphs]
        assert all(value["page"] == 1 and len(value["bbox"]) == 4 for value in metadata)
        assert not any(key.startswith("_") for value in metadata for key in value)
        assert "Amber is the resin" in payload.text
