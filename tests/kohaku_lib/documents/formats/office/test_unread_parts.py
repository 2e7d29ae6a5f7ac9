"""What stands in the package of a document and is not read is named."""

import zipfile

import pytest
import xlsxwriter
from drawn_parts import chart_part, replaced
from odf_files import odf_file
from openpyxl import Workbook
from pptx import Presentation
from word_files import p, word_file

from kohaku_lib.documents import parse_file
from kohaku_lib.documents.lost_parts import lost_parts

UNKNOWN = "<x:part xmlns:x='urn:x'><x:t>Only here stands this text</x:t></x:part>"


def docx(folder):
    return word_file(folder / "a.docx", p("Seen."))


def xlsx(folder):
    book = Workbook()
    book.active["A1"] = "Seen."
    book.save(folder / "a.xlsx")
    return folder / "a.xlsx"


def pptx(folder):
    slides = Presentation()
    slides.slides.add_slide(slides.slide_layouts[5]).shapes.title.text = "Seen."
    slides.save(folder / "a.pptx")
    return folder / "a.pptx"


def odt(folder):
    return odf_file(folder / "a.odt", "<text:p>Seen.</text:p>")


def epub(folder):
    path = folder / "a.epub"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(
            "META-INF/container.xml", '<container><rootfiles><rootfile full-path="b.opf"/></rootfiles></container>'
        )
        items = "".join(
            f'<item id="{name}" href="{name}.xhtml" media-type="application/xhtml+xml"/>' for name in ("a", "b")
        )
        book = f'<package><manifest>{items}</manifest><spine><itemref idref="a"/></spine></package>'
        archive.writestr("b.opf", book)
        archive.writestr("a.xhtml", "<html><body><p>Seen.</p></body></html>")
    return path


KINDS = pytest.mark.parametrize("made", [docx, xlsx, pptx, odt, epub])


@KINDS
def test_what_was_read_and_what_holds_no_text_is_not_named(tmp_path, made):
    path = replaced(made(tmp_path), {}, {"more/settings2.xml": "<a b='Only here'/>", "more/logo.png": b"\x89PNG"})
    assert "unread_parts" not in parse_file(path).metadata


@KINDS
def test_what_programs_leave_in_a_package_for_themselves_is_not_named(tmp_path, made):
    left = ("Configurations2/accelerator/current.xml", "Object 1/Configurations2/menu.xml", "__MACOSX/word/._a.xml")
    added = {**dict.fromkeys(left, b""), "Thumbnails/thumbnail.pdf": b"%PDF", "Object 1/settings.xml": UNKNOWN}
    assert "unread_parts" not in parse_file(replaced(made(tmp_path), {}, added)).metadata


@KINDS
def test_a_part_with_text_that_nobody_knows_is_named_and_a_second_copy_of_what_was_read_is_not(tmp_path, made):
    copy = "<a xmlns:x='urn:x'><x:t>seen</x:t></a>"
    path = replaced(made(tmp_path), {}, {"more/new.xml": UNKNOWN, "more/copy.xml": copy})
    assert parse_file(path).metadata["unread_parts"] == {"count": 1, "first": ["text in more/new.xml"]}


@KINDS
def test_files_within_a_file_and_damaged_parts_are_named(tmp_path, made):
    added = {
        "x/embeddings/object1.bin": b"\xd0\xcf",
        "x/plan.pdf": b"%PDF",
        "x/page.html": b"<p>Elsewhere</p>",
        "x/d.xml": "<a",
    }
    payload = parse_file(replaced(made(tmp_path), {}, added))
    assert payload.text == "Seen."
    assert payload.metadata["unread_parts"]["first"] == [
        "file x/embeddings/object1.bin",
        "file x/plan.pdf",
        "text in x/page.html",
        "damaged x/d.xml",
    ]
    assert lost_parts(payload.metadata) == [
        "4 parts of the file are not read: file x/embeddings/object1.bin, file x/plan.pdf, text in x/page.html, damaged x/d.xml"
    ]


def test_the_workbook_of_a_chart_is_not_named(tmp_path):
    relations = '<Relationships xmlns="r"><Relationship Id="a" Target="../embeddings/book.xlsx"/></Relationships>'
    added = {
        "word/charts/chart1.xml": chart_part("", "Seen"),
        "word/charts/_rels/chart1.xml.rels": relations,
        "word/embeddings/book.xlsx": b"PK",
        "word/embeddings/other.bin": b"PK",
    }
    payload = parse_file(replaced(docx(tmp_path), {}, added))
    assert payload.metadata["unread_parts"]["first"] == ["file word/embeddings/other.bin"]


def test_what_is_drawn_on_a_hidden_sheet_is_left_out_with_it(tmp_path):
    with xlsxwriter.Workbook(tmp_path / "a.xlsx") as book:
        book.add_worksheet("One").write("A1", "Seen.")
        sheet = book.add_worksheet("Two")
        sheet.hide()
        sheet.insert_textbox("B2", "Only here")
        chart = book.add_chart({"type": "pie"})
        chart.add_series({"name": "Elsewhere", "values": "=One!$A$1"})
        sheet.insert_chart("B9", chart)
    payload = parse_file(tmp_path / "a.xlsx")
    assert payload.metadata["hidden_cells"] == [["Two", "the whole sheet"]]
    assert "unread_parts" not in payload.metadata


def test_the_caption_of_a_button_is_named_and_the_boxes_of_comments_are_not(tmp_path):
    with xlsxwriter.Workbook(tmp_path / "a.xlsx") as book:
        for name, button in (("One", False), ("Two", True)):
            sheet = book.add_worksheet(name)
            sheet.write("A1", "Seen.")
            sheet.write_comment("A1", "Sure?")
            if button:
                sheet.insert_button("B2", {"caption": "Send the order"})
    unread = parse_file(tmp_path / "a.xlsx").metadata["unread_parts"]
    assert unread["first"] == ["text in xl/drawings/vmlDrawing2.vml"]


def test_a_chapter_that_the_spine_of_a_book_leaves_out_is_named(tmp_path):
    path = replaced(epub(tmp_path), {}, {"b.xhtml": "<html><body><p>An appendix.</p></body></html>"})
    assert parse_file(path).metadata["unread_parts"]["first"] == ["text in b.xhtml"]


def test_parts_beyond_the_first_hundred_are_counted(tmp_path):
    added = {f"word/embeddings/{number}.bin": b"" for number in range(101)}
    unread = parse_file(replaced(docx(tmp_path), {}, added)).metadata["unread_parts"]
    assert (unread["count"], len(unread["first"])) == (101, 100)
