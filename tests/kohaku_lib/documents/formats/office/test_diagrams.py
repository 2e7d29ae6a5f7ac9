"""Diagrams (SmartArt) of Word, Excel and PowerPoint files are read as lists."""

from drawn_parts import diagram_part, frame, replaced
from lxml import etree
from openpyxl import Workbook
from pptx import Presentation
from word_files import p, word_file

from kohaku_lib.documents import parse_file
from kohaku_lib.documents.formats.office.diagrams import read_diagram

SHAPES = {
    "d": ("doc", ""),
    "b": ("node", "Works council"),
    "a": ("node", "Board"),
    "s": ("asst", "Sales"),
    "t1": ("parTrans", "reports to"),
    "t2": ("sibTrans", "then"),
    "x": ("pres", "Board"),
    "l": ("node", "Loose end"),
}
LINES = [
    {"srcId": "d", "destId": "b", "srcOrd": "1"},
    {"srcId": "d", "destId": "a", "srcOrd": "0", "sibTransId": "t2"},
    {"srcId": "a", "destId": "s", "srcOrd": "0", "parTransId": "t1"},
    {"srcId": "s", "destId": "a", "srcOrd": "0"},  # a circle
    {"srcId": "a", "destId": "x", "type": "presOf"},
]
PART = diagram_part(SHAPES, LINES)
LIST = "- Board\n  - reports to\n  - Sales\n- then\n- Works council\n- Loose end"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
RELATION = f'<Relationship Id="data" Type="{OFFICE}/diagramData" Target="../diagrams/data1.xml"/>'
RELATIONS = '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{}</Relationships>'


def test_shapes_stand_in_their_order_with_their_levels_and_once():
    assert read_diagram(etree.fromstring(PART.encode())).text == LIST


def test_one_shape_is_no_list():
    part = diagram_part({"d": ("doc", ""), "a": ("node", "Board")}, [{"srcId": "d", "destId": "a"}])
    assert read_diagram(etree.fromstring(part.encode())).text == "Board"


def test_word(tmp_path):
    drawn = f"<w:r><w:drawing><wp:inline>{frame('diagram', 'diagramData1')}</wp:inline></w:drawing></w:r>"
    path = word_file(tmp_path / "a.docx", p("Before.") + p(drawn) + p("After."), diagramData1=PART)
    payload = parse_file(path)
    assert payload.text == f"Before.\n\n{LIST}\n\nAfter."
    assert "unread_parts" not in payload.metadata


def test_powerpoint(tmp_path):
    slides = Presentation()
    slides.slides.add_slide(slides.slide_layouts[5]).shapes.title.text = "Who leads"
    slides.save(tmp_path / "a.pptx")
    drawing = (
        '<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="9" name="d"/><p:cNvGraphicFramePr/><p:nvPr/></p:nvGraphicFramePr>'
        f'<p:xfrm><a:off x="0" y="0"/><a:ext cx="9" cy="9"/></p:xfrm>{frame("diagram", "data")}</p:graphicFrame></p:spTree>'
    )
    changes = {
        "ppt/slides/slide1.xml": lambda text: text.replace("</p:spTree>", drawing),
        "ppt/slides/_rels/slide1.xml.rels": lambda text: text.replace(
            "</Relationships>", f"{RELATION}</Relationships>"
        ),
    }
    payload = parse_file(replaced(tmp_path / "a.pptx", changes, {"ppt/diagrams/data1.xml": PART}))
    assert payload.text == LIST
    assert "unread_parts" not in payload.metadata


def test_excel(tmp_path):
    book = Workbook()
    book.active["A1"] = "Staff"
    book.save(tmp_path / "a.xlsx")
    drawing = (
        '<xdr:wsDr xmlns:xdr="http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing"><xdr:twoCellAnchor>'
        f"<xdr:graphicFrame>{frame('diagram', 'data')}</xdr:graphicFrame></xdr:twoCellAnchor></xdr:wsDr>"
    )
    added = {
        "xl/worksheets/_rels/sheet1.xml.rels": RELATIONS.format(
            f'<Relationship Id="r1" Type="{OFFICE}/drawing" Target="/xl/drawings/drawing1.xml"/>'
        ),
        "xl/drawings/drawing1.xml": drawing,
        "xl/drawings/_rels/drawing1.xml.rels": RELATIONS.format(RELATION),
        "xl/diagrams/data1.xml": PART,
    }
    payload = parse_file(replaced(tmp_path / "a.xlsx", {}, added))
    assert payload.text == f"Staff\n\n{LIST}"
    assert "unread_parts" not in payload.metadata
