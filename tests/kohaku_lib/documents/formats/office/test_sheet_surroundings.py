"""Text boxes, comments, headers and footers of Excel sheets are read with the sheet."""

import zipfile

import pytest
import xlsxwriter

from kohaku_lib.documents import parse_file
from kohaku_lib.documents.formats.office.sheet_surroundings import SheetSurroundings, running_text

RELATIONS = """<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">
<Relationship Id="a" Type="http://x.example/threadedComment" Target="../threadedComments/one.xml"/>
<Relationship Id="b" Type="http://x.example/comments" Target="/xl/comments1.xml"/>
<Relationship Id="c" Type="http://x.example/drawing" Target="../drawings/gone.xml"/></Relationships>"""
PLAIN = """<comments xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><authors><author>Ann</author></authors>
<commentList><comment ref="A1" authorId="0"><text><t>[Threaded comment] Your version …</t></text></comment>
<comment ref="B2" authorId="0"><text><r><t>Ann:</t></r><r><t> Net </t></r><r><t>price</t></r></text></comment>
</commentList></comments>"""
THREADED = """<ThreadedComments xmlns="http://schemas.microsoft.com/office/spreadsheetml/2018/threadedcomments">
<threadedComment ref="A1" personId="p"><text>Why?</text></threadedComment>
<threadedComment ref="A1" personId="q"><text>Because.</text></threadedComment></ThreadedComments>"""
PEOPLE = """<personList xmlns="http://schemas.microsoft.com/office/spreadsheetml/2018/threadedcomments">
<person displayName="Bo Wax" id="p"/></personList>"""


def test_text_boxes_follow_the_cells_and_headers_stand_once_before(tmp_path):
    path = tmp_path / "book.xlsx"
    with xlsxwriter.Workbook(path) as book:
        for name in ("Prices", "Notes"):
            sheet = book.add_worksheet(name)
            sheet.set_header("&CACME")
            sheet.set_footer("&RPage &P")
        book.worksheets()[0].write_row("A1", ["item", "price"])
        book.worksheets()[0].write_row("A2", ["honey", 4])
        book.worksheets()[0].write_comment("B2", "Net", {"author": "Ann"})
        book.worksheets()[1].insert_textbox("B9", "Below")
        book.worksheets()[1].insert_textbox("B2", "All prices\nare net.")
        book.add_worksheet("Empty").set_header("&CNothing")
    payload = parse_file(path)
    assert [
        (one.title, [(part.metadata.get("block"), part.text) for part in one.paragraphs]) for one in payload.sections
    ] == [
        ("Prices", [("header", "ACME"), (None, "| item | price |\n| --- | --- |\n| honey | 4 |")]),
        ("Notes", [(None, "All prices\nare net."), (None, "Below")]),
    ]
    assert payload.metadata["comments"] == ["Prices B2, Ann: Net"]


def test_comments_with_answers_are_read_from_their_own_part(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("xl/worksheets/_rels/sheet1.xml.rels", RELATIONS)
        archive.writestr("xl/comments1.xml", PLAIN)
        archive.writestr("xl/threadedComments/one.xml", THREADED)
        archive.writestr("xl/persons/person.xml", PEOPLE)
    with zipfile.ZipFile(tmp_path / "a.zip") as archive:
        around = SheetSurroundings(archive, "xl/worksheets/sheet1.xml")
        assert around.comments() == ["B2, Ann: Net price", "A1, Bo Wax: Why?", "A1: Because."]
        assert around.text_boxes() == []


@pytest.mark.parametrize(
    ("stated", "text"),
    [
        ("&LACME&C&KFF0000Prices&R&D", "ACME\nPrices"),
        ("&CSeite &P von &N", ""),
        ('&C&"Arial,Bold"&14&UR&&D', "R&D"),
        ("2026", "2026"),
    ],
)
def test_codes_of_headers_are_not_read(stated, text):
    assert running_text(stated) == text
