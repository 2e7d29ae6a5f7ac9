"""Tables as blocks: their rows as sentences, and the captions, introductions and titles above them."""

import pytest

from kohaku_lib.documents.formats.pdf.blocks import Block
from kohaku_lib.documents.formats.pdf.headings import body_size, outline_key
from kohaku_lib.documents.formats.pdf.tables.captions import row_sentences, table_block, with_table_captions
from kohaku_lib.documents.formats.pdf.tables.tables import PageTable
from kohaku_lib.documents.formats.pdf.text.page_text import Box, Line, PageText

ROWS = (("Year", "kWh"), ("2021", "45"), ("2022", "90"))
BOX = Box(50, 100, 300, 160)
MARKDOWN = "| Year | kWh |\n| --- | --- |\n| 2021 | 45 |\n| 2022 | 90 |"
PAGES = {1: PageText(1, 600.0, 800.0, ())}


def table(title="", row_boxes=()):
    return table_block(PageTable(ROWS, BOX, row_boxes, title), 1, 7)


def text(words, y0, kind="text", page=1):
    return Block(kind, words, page, Box(50, y0, 300, y0 + 10), region=7)


def captioned(*blocks):
    found = with_table_captions(list(blocks))
    [block] = [block for block in found if block.kind == "table"]
    return block.metadata.get("table_caption"), [block.text for block in found if block.kind != "table"]


def test_a_table_block_has_the_markdown_of_its_rows():
    block = table()
    assert (block.kind, block.text, block.page, block.region, block.box) == ("table", MARKDOWN, 1, 7, BOX)
    assert block.metadata["table_rows"] == 3
    assert block.metadata["modality"] == "table"


def test_rows_are_sentences_with_their_own_boxes_without_the_header():
    boxes = (Box(50, 100, 300, 120), Box(50, 120, 300, 140), Box(50, 140, 300, 160))
    first, second = row_sentences(table(row_boxes=boxes), PAGES)
    assert (first.text, first.metadata) == ("| 2021 | 45 |", {"page": 1, "bbox": [50, 120, 300, 140]})
    assert second.metadata["bbox"] == [50, 140, 300, 160]


def test_rows_without_boxes_have_that_of_the_table_and_other_blocks_no_rows():
    assert [row.metadata["bbox"] for row in row_sentences(table(), PAGES)] == [[50, 100, 300, 160]] * 2
    assert row_sentences(text("Words.", 50), PAGES) is None


def test_a_caption_above_or_below_becomes_the_first_line_and_leaves_the_text():
    for blocks in ([text("Table 1: Energy.", 80), table()], [table(), text("Table 1: Energy.", 165)]):
        assert captioned(*blocks) == ("Table 1: Energy.", [])
    above = with_table_captions([text("Table 1: Energy.", 80), table()])
    assert above[0].text == f"Table 1: Energy.\n{MARKDOWN}"


@pytest.mark.parametrize("blocks", [[text("Table 1: Energy.", 40)], [text("Table 1: Energy.", 80, page=2)]])
def test_a_caption_too_far_or_on_another_page_stays_in_the_text(blocks):
    assert captioned(*blocks, table()) == (None, ["Table 1: Energy."])


def test_a_caption_belongs_to_one_table():
    blocks = [text("Table 1: Energy.", 80), table(), table()]
    found = with_table_captions(blocks)
    assert [block.metadata.get("table_caption") for block in found] == ["Table 1: Energy.", None]


def test_an_introduction_that_ends_in_a_colon_leaves_the_text_and_a_heading_is_repeated():
    assert captioned(text("The values were as follows:", 80), table()) == ("The values were as follows:", [])
    assert captioned(text("Energy use", 80, "heading"), table()) == ("Energy use", ["Energy use"])
    assert captioned(text("A sentence above.", 80), table()) == ("A sentence above.", ["A sentence above."])
    assert captioned(text("x" * 201, 80), table()) == (None, ["x" * 201])


def test_the_title_in_the_first_row_takes_precedence_over_a_text_but_not_over_a_caption():
    assert captioned(text("As follows:", 80), table("Own title")) == ("Own title", ["As follows:"])
    assert captioned(text("Table 1: Energy.", 80), table("Own title")) == ("Table 1: Energy.", [])


# Sizes and outlines


def line(words, size):
    return Line(words, Box(0, 0, 10, 10), size, False, 0)


def test_the_body_size_is_that_of_most_characters_in_half_points():
    pages = [PageText(1, 600.0, 800.0, (line("Heading", 18.0), line("some body text", 10.1), line("more text", 9.9)))]
    assert body_size(pages) == 10.0
    assert body_size([]) == 10.0
    assert body_size([PageText(1, 1, 1, (line("ab", 9.0), line("cd", 12.0)))]) == 12.0  # a tie


@pytest.mark.parametrize(("title", "key"), [("1.  Überblick (Teil A)", "1überblickteila"), ("…", ""), ("", "")])
def test_an_outline_entry_is_matched_by_letters_and_digits(title, key):
    assert outline_key(title) == key
