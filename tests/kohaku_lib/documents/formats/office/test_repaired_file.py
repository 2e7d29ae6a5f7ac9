"""Packages that office programs repair are read, and said to be repaired."""

import zipfile

import pytest
from drawn_parts import replaced
from openpyxl import Workbook
from pptx import Presentation
from word_files import p, word_file

from kohaku_lib.documents import parse_file, parse_paths
from kohaku_lib.documents.lost_parts import lost_parts
from kohaku_lib.settings import DocumentsSettings

STRINGS = "application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml"


def docx(folder):
    return word_file(folder / "a.docx", p("Bees hum.") + p("More.")), "word/document.xml"


def xlsx(folder):
    book = Workbook()
    book.active["A1"], book.active["A2"] = "Bees hum.", "More."
    book.save(folder / "a.xlsx")
    return folder / "a.xlsx", "xl/worksheets/sheet1.xml"


def pptx(folder):
    slides = Presentation()
    slide = slides.slides.add_slide(slides.slide_layouts[1])
    slide.shapes.title.text = "Hive"
    slide.placeholders[1].text_frame.text = "Bees hum.\nMore."
    slides.save(folder / "a.pptx")
    return folder / "a.pptx", "ppt/slides/slide1.xml"


KINDS = pytest.mark.parametrize("made", [docx, xlsx, pptx])


def without_overrides(text):
    return text[: text.index("<Override")] + "</Types>" if "<Override" in text else text


@KINDS
@pytest.mark.parametrize("sign", ["& ", "&what; ", "\x02"])
def test_a_stray_sign_takes_no_other_text(tmp_path, made, sign):
    path, part = made(tmp_path)
    payload = parse_file(replaced(path, {part: lambda text: text.replace("More.", f"More{sign}.")}))
    assert "Bees hum." in payload.text
    assert "More" in payload.text
    assert lost_parts(payload.metadata) == [
        "it is damaged and was repaired as far as possible; its pages may lack text"
    ]


@KINDS
def test_types_that_are_not_stated(tmp_path, made):
    path, _ = made(tmp_path)
    text = parse_file(path).text
    payload = parse_file(replaced(path, {"[Content_Types].xml": without_overrides}))
    assert payload.text == text


def test_a_type_of_a_part_that_is_not_there(tmp_path):
    path, _ = xlsx(tmp_path)
    text = parse_file(path).text
    absent = f'<Override PartName="/xl/sharedStrings.xml" ContentType="{STRINGS}"/></Types>'
    payload = parse_file(replaced(path, {"[Content_Types].xml": lambda types: types.replace("</Types>", absent)}))
    assert payload.metadata["repaired"]
    assert payload.text == text


@KINDS
def test_a_name_in_another_case(tmp_path, made):
    path, part = made(tmp_path)
    text = parse_file(path).text
    moved = path.with_name(f"moved{path.suffix}")
    with zipfile.ZipFile(path) as archive, zipfile.ZipFile(moved, "w") as other:
        for name in archive.namelist():
            other.writestr(name.upper() if name == part else name, archive.read(name))
    payload = parse_file(moved)
    assert (payload.text, payload.metadata["repaired"]) == (text, True)


def test_a_drawing_that_is_no_xml_does_not_take_the_cells_along(tmp_path):
    path, _ = xlsx(tmp_path)
    kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/drawing"
    relations = (
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
        f'<Relationship Id="a" Type="{kind}" Target="/xl/drawings/drawing1.xml"/></Relationships>'
    )
    added = {"xl/worksheets/_rels/sheet1.xml.rels": relations, "xl/drawings/drawing1.xml": b"\x00\x01"}
    payload = parse_file(replaced(path, {}, added))
    assert (payload.text, payload.metadata["repaired"]) == ("Bees hum.\nMore.", True)


@KINDS
def test_a_sound_file_is_not_said_to_be_repaired_and_one_without_its_text_is_refused(tmp_path, made):
    path, part = made(tmp_path)
    assert "repaired" not in parse_file(path).metadata
    replaced(path, {part: lambda _: ""})
    (outcome,) = parse_paths([path], DocumentsSettings())
    assert (outcome.status, outcome.payload) == ("failed", None)
