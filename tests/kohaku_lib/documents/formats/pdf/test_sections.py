"""Blocks are grouped into sections by their headings, else by pages."""

from kohaku_lib.documents.formats.pdf.blocks import Block, Place
from kohaku_lib.documents.formats.pdf.sections import build_sections
from kohaku_lib.documents.formats.pdf.text.page_text import Box, PageText

PAGES = {number: PageText(number, 600.0, 800.0, ()) for number in (1, 2, 3)}
BOX = Box(50, 100, 300, 112)
BODY = "A paragraph that is long enough to outweigh the headings of this document."


def text(words=BODY, page=1, **rest):
    return Block("text", words, page, BOX, **rest)


def heading(words, level, page=1):
    return Block("heading", words, page, BOX, level=level)


def sections(blocks, policy="headings"):
    return build_sections(blocks, PAGES, "Title", policy)


def outline(blocks):
    return [
        (section.title, section.metadata["heading_path"], [paragraph.text for paragraph in section.paragraphs])
        for section in sections(blocks)
    ]


def test_text_before_the_first_heading_is_below_the_title_of_the_document():
    assert outline([text(), heading("1 A", 1), text(), heading("2 B", 1, 2), text()]) == [
        ("Title", [], [BODY]),
        ("1 A", ["1 A"], [BODY]),
        ("2 B", ["2 B"], [BODY]),
    ]


def test_a_heading_path_contains_the_headings_above():
    blocks = [heading("A", 1), text(), heading("B", 2), text(), heading("C", 3), text(), heading("D", 2), text()]
    assert [path for _, path, _ in outline(blocks)] == [["A"], ["A", "B"], ["A", "B", "C"], ["A", "D"]]


def test_a_heading_directly_above_a_deeper_one_is_in_its_path_only():
    assert outline([heading("A", 1), heading("B", 2), text()]) == [("B", ["A", "B"], [BODY])]


def test_a_heading_without_a_body_becomes_a_paragraph_of_the_section_before():
    blocks = [heading("A", 1), text(), heading("B", 1), heading("C", 1), text(), heading("D", 1)]
    assert outline(blocks) == [("A", ["A"], [BODY, "B"]), ("C", ["C"], [BODY, "D"])]


def test_one_heading_is_too_few_for_sections_by_headings():
    [section] = sections([heading("A", 1), text()])
    assert (section.title, section.metadata) == ("Page 1", {"page": 1})
    assert [paragraph.text for paragraph in section.paragraphs] == ["A", BODY]


def test_more_heading_than_body_text_falls_back_to_pages():
    blocks = [heading("A long heading of the page", 1), text("Short."), heading("B another long heading", 1, 2)]
    assert [section.title for section in sections(blocks)] == ["Page 1", "Page 2"]


def test_sections_by_pages_are_in_order_and_leave_out_empty_pages():
    blocks = [text(page=3), text(page=1), heading("A", 1), heading("B", 1, 3)]
    found = sections(blocks, "pages")
    assert [(section.title, len(section.paragraphs)) for section in found] == [("Page 1", 2), ("Page 3", 2)]


def test_a_paragraph_has_its_page_and_box_and_no_private_metadata():
    [section] = sections([text(metadata={"content_type": "footnote", "_region": 7})])
    assert section.paragraphs[0].metadata == {"page": 1, "bbox": [50, 100, 300, 112], "content_type": "footnote"}


def test_a_paragraph_over_two_columns_has_the_box_of_each_and_of_every_line():
    lines = [Box(50, 700, 250, 710), Box(50, 712, 250, 722), Box(300, 60, 500, 70)]
    places = [Place(offset, 1, box) for offset, box in zip((0, 20, 40), lines, strict=True)]
    [section] = sections([text(places=places)])
    metadata = section.paragraphs[0].metadata
    assert metadata["boxes"] == [[1, 50, 700, 250, 722], [1, 300, 60, 500, 70]]
    assert metadata["line_boxes"] == [
        [0, 1, 50, 700, 250, 710],
        [20, 1, 50, 712, 250, 722],
        [40, 1, 300, 60, 500, 70],
    ]


def test_a_paragraph_over_two_pages_has_a_box_on_each():
    places = [Place(0, 1, Box(50, 700, 250, 710)), Place(30, 2, Box(50, 712, 250, 722))]
    [section] = sections([text(places=places)])
    assert [entry[0] for entry in section.paragraphs[0].metadata["boxes"]] == [1, 2]


def test_a_paragraph_of_one_column_has_no_list_of_boxes():
    places = [Place(0, 1, Box(50, 700, 250, 710)), Place(30, 1, Box(50, 712, 250, 722))]
    [section] = sections([text(places=places)])
    assert "boxes" not in section.paragraphs[0].metadata
