"""Pieces of words that run left are joined, words stay apart, and their tables are read from the right."""

import pymupdf
import pytest

from kohaku_lib.documents.formats.pdf.page_blocks import page_blocks
from kohaku_lib.documents.formats.pdf.parse_pdf import parse_pdf
from kohaku_lib.documents.formats.pdf.text.hyphens import vocabulary_of
from kohaku_lib.documents.formats.pdf.text.page_text import Box, Line, PageText
from kohaku_lib.documents.formats.pdf.text.right_to_left import join_runs
from kohaku_lib.settings import DocumentsSettings


def piece(text, x0, x1, y=0):
    return Line(text, Box(x0, y, x1, y + 10), 10.0, False, 0)


@pytest.mark.parametrize(
    ("pieces", "texts"),
    [
        ([piece("של", 80, 100), piece("ום", 60, 80)], ["שלום"]),
        ([piece("שלום", 80, 100), piece("רב", 60, 78)], ["שלום רב"]),
        ([piece("בין", 80, 100), piece("10", 66, 76), piece("/", 63, 66), piece("2024", 40, 63)], ["בין 2024/10"]),
        ([piece("שלום", 80, 100), piece("רב", 40, 60)], ["שלום", "רב"]),
        ([piece("two", 60, 80), piece("one", 20, 59)], ["two", "one"]),  # not a row that runs left
    ],
)
def test_pieces_that_touch_are_one_word_and_wide_gaps_part_cells(pieces, texts):
    assert [line.text for line in join_runs(pieces)] == texts


def test_a_table_without_rules_is_read_from_the_right():
    rows = [("פריט", "ק״ג", "מחיר"), ("קמח", "12.5", "40.10"), ("סוכר", "7.25", "33.00"), ("מלח", "1.75", "2.90")]
    lines = [
        piece(text, 400 - 100 * column, 440 - 100 * column, 100 + 14 * row)
        for row, texts in enumerate(rows)
        for column, text in enumerate(texts)
    ]
    (table,) = page_blocks(PageText(1, 600.0, 800.0, tuple(lines)), [], vocabulary_of([]))
    assert table.text.split("\n")[0] == "| פריט | ק״ג | מחיר |"
    assert table.text.split("\n")[2] == "| קמח | 12.5 | 40.10 |"
    assert (table.box.x0, table.box.x1) == (200, 440)


def drawn_table(path, rows):
    """Save a page with a ruled table whose first column stands on the right."""
    with pymupdf.open() as document:
        page = document.new_page()
        for at, texts in enumerate(rows):
            for column, text in enumerate(texts):
                cell = pymupdf.Rect(300 - 200 * column, 104 + 30 * at, 500 - 200 * column, 128 + 30 * at)
                page.insert_htmlbox(cell, f'<p dir="rtl">{text}</p>')
        for y in range(100, 101 + 30 * len(rows), 30):
            page.draw_line((100, y), (500, y))
        for x in (100, 300, 500):
            page.draw_line((x, 100), (x, 100 + 30 * len(rows)))
        document.save(path)


def table_of(path):
    payload = parse_pdf(path, "a", DocumentsSettings())
    return next(one.text for one in payload.sections[0].paragraphs if "|" in one.text)


@pytest.mark.parametrize(
    ("rows", "text"),
    [
        (
            [("שם", "משקל"), ("קמח", "שק אחד"), ("סוכר", "שני שקים")],
            "| שם | משקל |\n| --- | --- |\n| קמח | שק אחד |\n| סוכר | שני שקים |",
        ),
        ([("תאריך:", "דחוף"), ("ישיבה:", "436")], "|  |  |\n| --- | --- |\n| תאריך: | דחוף |\n| ישיבה: | 436 |"),
    ],
)
def test_a_ruled_table_has_its_labels_first(tmp_path, rows, text):
    drawn_table(tmp_path / "a.pdf", rows)
    assert table_of(tmp_path / "a.pdf") == text
