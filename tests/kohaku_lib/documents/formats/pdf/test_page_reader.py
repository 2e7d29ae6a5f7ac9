"""documents.parser decides which pages the layout engine sees."""

import sys

import pymupdf
import pytest

from kohaku_lib.documents import parse_file
from kohaku_lib.documents.formats.pdf.blocks import Block
from kohaku_lib.documents.formats.pdf.layout_engine import _load_engine, layout_regions
from kohaku_lib.documents.formats.pdf.page_reader import PageReader, needs_layout
from kohaku_lib.documents.formats.pdf.text.page_text import Box, Line, PageText, read_page_text
from kohaku_lib.errors import ModelError
from kohaku_lib.settings import DocumentsSettings

ROWS = [
    ("Task", "Procedure", "Completion", "Knowledge"),
    *((f"Simple instrument {i}", f"0.{i}7", f"0.{i}0", f"0.{i}4") for i in range(1, 9)),
]
PROSE = "Amber is the resin of trees that fell long ago, and it is found on the shore after every storm."


def draw(page, cells=ROWS, lefts=(80, 230, 246, 262), top=200):
    """Write rows whose numbers are so close that lines alone do not separate them."""
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
    return PageReader(document, parser).blocks(text, [], frozenset())[0]


def analysed_pages(document, parser, monkeypatch):
    """Return the numbers of the pages on which the real engine runs."""
    seen = []

    def recorded(page):
        seen.append(page.number + 1)
        return layout_regions(page)

    monkeypatch.setattr("kohaku_lib.documents.formats.pdf.page_reader.layout_regions", recorded)
    for number in range(1, len(document) + 1):
        read(document, parser, number)
    return seen


def test_the_parser_blocks_never_runs_the_engine(document, monkeypatch):
    draw(document.new_page())
    assert analysed_pages(document, "blocks", monkeypatch) == []


def test_the_parser_layout_runs_the_engine_on_every_upright_page_with_text(document, monkeypatch):
    draw(document.new_page())
    document.new_page().insert_textbox((72, 72, 520, 180), PROSE)
    document.new_page()
    document.new_page().insert_text((300, 300), PROSE, rotate=90)
    turned = document.new_page()
    turned.insert_text((72, 100), PROSE)
    turned.set_rotation(180)
    assert analysed_pages(document, "layout", monkeypatch) == [1, 2]


def test_the_parser_auto_runs_the_engine_on_pages_whose_tables_look_wrong(document, monkeypatch):
    page = document.new_page()
    for row in range(6):
        for column, text in enumerate(("north", "south", "east", "west")):
            page.insert_text((80 + 110 * column, 100 + 30 * row), text, fontsize=9)
    document.new_page().insert_textbox((72, 72, 520, 180), PROSE)
    assert analysed_pages(document, "auto", monkeypatch) == [1]


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


def line(text, x, y):
    return Line(text, Box(x, y, x + 5 * len(text), y + 10), 10, False, 0)


def page_of(rows, step=110):
    """Return a page whose rows hold the texts of `rows`, a cell every `step` points."""
    cells = [line(text, 50 + step * x, 100 + 20 * y) for y, row in enumerate(rows) for x, text in enumerate(row)]
    return PageText(1, 600, 800, tuple(cells))


WHOLE = Box(40, 90, 500, 400)


def table(*lines, box=WHOLE):
    return Block("table", "\n".join(["| Task | Share |", "| --- | --- |", *lines]), 1, box)


SHORT_ROWS = [("north", "south", "east")] * 4


def test_prose_in_columns_needs_no_layout():
    columns = [("Amber is the resin of trees", "that fell long ago, and it", "is found on the shore")] * 20
    assert not needs_layout(page_of(columns, 180), [])


def test_rows_of_short_cells_need_layout_where_no_table_holds_them():
    assert needs_layout(page_of(SHORT_ROWS), [])
    assert not needs_layout(page_of(SHORT_ROWS), [table()])
    assert needs_layout(page_of(SHORT_ROWS), [table(box=Box(40, 300, 500, 400))])


def test_a_few_loose_rows_are_not_enough():
    assert not needs_layout(page_of(SHORT_ROWS[:3]), [])


def test_rows_of_contents_need_no_layout():
    assert not needs_layout(page_of([("Item 1", "Amber", str(page)) for page in range(3, 12)]), [])
    assert needs_layout(page_of([("Item 1", "Amber", f"{page} kg") for page in range(3, 12)]), [])


def test_rows_of_two_cells_are_no_loose_rows():
    assert not needs_layout(page_of([("north", "south")] * 9), [])


@pytest.mark.parametrize("cell", ["0.20 0.80", "$1,234 $5,678", "(1.5) 2.5", "Simple 0.87 0.20"])
def test_four_rows_with_two_numbers_in_a_cell_need_layout(cell):
    crowded = f"| wind | {cell} |"
    assert needs_layout(page_of([]), [table(*[crowded] * 4)])
    assert not needs_layout(page_of([]), [table(*[crowded] * 3)])


@pytest.mark.parametrize("cell", ["0.20", "2 3", "Note 5 1.20", "March 31, 2023", "4 560"])
def test_other_cells_are_not_crowded(cell):
    assert not needs_layout(page_of([]), [table(*[f"| wind | {cell} |"] * 9)])


def test_a_table_without_a_head_needs_layout():
    assert needs_layout(page_of([]), [Block("table", "Power\n|  |  |\n| --- | --- |\n| wind | 45 |", 1, WHOLE)])
    assert not needs_layout(page_of([]), [table("|  |  |")])


def test_an_older_pymupdf_ends_in_one_sentence(document, monkeypatch):
    monkeypatch.setitem(sys.modules, "pymupdf.layout", None)
    _load_engine.cache_clear()
    with pytest.raises(ModelError, match=r"needs PyMuPDF 2\.0 or newer, got .*'blocks'") as raised:
        layout_regions(document.new_page())
    assert "\n" not in str(raised.value)
    _load_engine.cache_clear()


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
