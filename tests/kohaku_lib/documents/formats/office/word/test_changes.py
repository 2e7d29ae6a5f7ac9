"""Of tracked changes the final text is read."""

import pytest
from word_files import p, r, word_file

from kohaku_lib.documents import parse_file


def removed(runs):
    return f'<w:del w:id="1" w:author="A">{runs}</w:del>'


GONE = '<w:r><w:delText xml:space="preserve">thirty </w:delText></w:r>'
MARK = "<w:rPr><w:del/></w:rPr>"


@pytest.fixture
def read(tmp_path):
    return lambda body, **parts: parse_file(word_file(tmp_path / "a.docx", body, **parts)).text


def test_insertions_are_read_and_deletions_are_not(read):
    inserted = f'<w:ins w:id="2" w:author="A">{removed(GONE)}{r("forty ")}</w:ins>'
    assert read(p(r("Kept for ") + removed(GONE) + inserted + r("days."))) == "Kept for forty days."


def test_moved_text_stands_at_its_new_place(read):
    moved = r("Tapes are in Halden.")
    body = p(f"<w:moveFrom>{moved}</w:moveFrom>{r('Disks.')}") + p(f"<w:moveTo>{moved}</w:moveTo>")
    assert read(body) == "Disks.\n\nTapes are in Halden."


def test_paragraphs_are_joined_where_the_end_of_one_was_deleted(read):
    assert read(p("one ", MARK) + p("two ", MARK) + p("three")) == "one two three"
    assert read(p("one ", MARK) + "<w:tbl><w:tr><w:tc><w:p/></w:tc></w:tr></w:tbl>") == "one"


def test_deleted_rows_and_cells_are_not_read(read):
    row = "<w:tr>{}<w:tc>{}{}</w:tc><w:tc>{}</w:tc></w:tr>"
    body = row.format("", "", p("Trade"), p("Rate")) + row.format("<w:trPr><w:del/></w:trPr>", "", p("Baker"), p("1"))
    body += row.format("", "<w:tcPr><w:cellDel/></w:tcPr>", p("Smith"), p("2"))
    assert read(f"<w:tbl>{body}</w:tbl>") == "| Trade | Rate |\n| --- | --- |\n|  | 2 |"


def test_a_deleted_item_is_not_counted(read):
    numbering = '<w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:start w:val="1"/><w:lvlText w:val="%1."/>'
    numbering += '</w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>'
    place = '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>'
    assert read(p("a", place) + p(removed(GONE), place + MARK) + p("b", place), numbering=numbering) == "1. a\n2. b"
