"""The page that shows how a document was parsed."""

import base64
import io
import re
from html.parser import HTMLParser

import pymupdf
import pytest
from PIL import Image

from kohaku_lib.documents import payload_from_json
from kohaku_lib.documents.viewer.file import page_range, view_file
from kohaku_lib.documents.viewer.items import Place, ViewItem, pages_of, view_items
from kohaku_lib.documents.viewer.page import dropped_lines, render_viewer
from kohaku_lib.documents.viewer.rendered_pages import RenderedPage, TextLine, render_pages, rendered_page_from_json
from kohaku_lib.errors import DocumentError, InputFileError
from kohaku_lib.settings import DocumentsSettings

EVIL = "<script>alert('x')</script> \"quoted\" & more"


class Elements(HTMLParser):
    """Every start tag with its attributes, and the text outside style and script."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.text, self.open = [], "", []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in {"meta", "img", "input"}:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] not in {"style", "script"}:
            self.text += data

    def having(self, name, value=None):
        return [attrs for _, attrs in self.tags if name in attrs and value in {None, attrs[name]}]

    def boxes(self):
        return [attrs for attrs in self.having("class") if attrs["class"].split()[0] == "box"]


def paragraph(text, page=1, box=(10, 20, 110, 40), **metadata):
    return {"text": text, "metadata": {"page": page, "bbox": list(box), **metadata}}


def payload(*paragraphs, title="Bees", **section):
    sections = [{"title": title, "metadata": {"level": 1, "page": 1, **section}, "paragraphs": list(paragraphs)}]
    return payload_from_json({"document_id": "bee", "title": title, "metadata": {"pages": 3}, "sections": sections})


def picture(page=1, lines=()):
    return RenderedPage(page, 200.0, 100.0, "UklGRg==", tuple(TextLine(text, box) for text, box in lines))


def test_every_paragraph_has_one_box_and_one_text_of_the_same_number():
    page = Elements(render_viewer(payload(paragraph("One."), paragraph("Two.", 2)), [picture(1), picture(2)]))
    numbered = [attrs["data-node"] for attrs in page.boxes()]
    assert sorted(numbered) == ["2", "3"]
    nodes = [attrs["data-node"] for attrs in page.having("data-node") if attrs["class"].startswith("node")]
    assert nodes == ["1", "2", "3"]


def test_a_box_is_where_its_paragraph_is():
    page = Elements(render_viewer(payload(paragraph("One.")), [picture()]))
    (box,) = page.boxes()
    assert box["style"].endswith("left:5.00%;top:20.00%;width:50.00%;height:20.00%")


def test_a_paragraph_over_two_pages_has_a_box_on_each():
    boxes = [[1, 0, 0, 10, 10], [2, 0, 50, 10, 60]]
    html = render_viewer(payload(paragraph("Long.", boxes=boxes)), [picture(1), picture(2)])
    assert [attrs["data-node"] for attrs in Elements(html).boxes()] == ["2", "2"]
    first, second = html.split('id="picture-2"')
    assert first.count('data-node="2"') == 1
    assert second.count('class="box') == 1


def test_a_markdown_table_is_a_table_and_what_stands_around_it_is_text():
    text = "Fares\n| Item | € |\n| --- | --- |\n| Key <b>card</b> | 5 |\n| a\\|b | |\nNet of VAT."
    page = Elements(render_viewer(payload(paragraph(text, attachment_type="table"), paragraph("| no rule |"))))
    tags = [tag for tag, _ in page.tags]
    assert [tags.count(tag) for tag in ("table", "th", "td", "tr")] == [1, 2, 4, 3]
    assert [attrs for tag, attrs in page.tags if tag == "b"] == []
    assert [part in page.text for part in ("Key <b>card</b>", "a|b", "Fares", "Net of VAT.", "| no rule |", "---")] == [
        *[True] * 5,
        False,
    ]


def test_a_heading_with_a_box_and_the_rows_of_a_table_are_drawn():
    rows = [{"text": "a", "metadata": {"page": 1, "bbox": [10, y, 110, y + 10]}} for y in (20, 30)]
    table = {**paragraph("| a |", attachment_type="table"), "sentences": rows}
    page = Elements(render_viewer(payload(table, bbox=[0, 0, 50, 10]), [picture()]))
    assert sorted(attrs["class"] for attrs in page.boxes()) == ["box", "box edge", "box row", "box row"]


def test_texts_of_a_document_are_escaped_everywhere():
    made = payload(paragraph(EVIL, content_type='x"><img src=y>'), title=EVIL)
    html = render_viewer(made, [picture(lines=[(EVIL + " lost", (0, 80, 10, 90))])])
    page = Elements(html)
    assert [tag for tag, _ in page.tags].count("script") == 1
    assert [tag for tag, _ in page.tags].count("img") == 1
    assert page.text.count(EVIL) == 5  # title, header, heading, paragraph, dropped line
    assert page.open == []


def test_the_page_needs_no_network():
    html = render_viewer(payload(paragraph("See https://example.org/x.")), [picture()])
    page = Elements(html)
    assert {attrs.get("src", "")[:5] for tag, attrs in page.tags if tag == "img"} == {"data:"}
    assert not page.having("href")
    assert "url(" not in html
    assert "default-src 'none'" in page.having("http-equiv")[0]["content"]


def test_counts_and_legend_are_those_of_the_nodes():
    made = payload(
        paragraph("Text."),
        paragraph("| a |", attachment_type="table"),
        paragraph("[Image]", attachment_type="image"),
        paragraph("Figure 3: Bees in flight."),
        paragraph("Read.", 3),
        paragraph("1. See there.", content_type="footnote"),
        paragraph("Text again.", content_type="body"),
    )
    made.metadata["pages_read_by_ocr"] = [3]
    page = Elements(render_viewer(made, [picture(), picture(3)]))
    legend = re.findall(r"([a-z]+) (\d+)", page.text.split("characters")[1].split("page")[0])
    assert dict(legend) == {
        "text": "2",
        "heading": "1",
        "table": "1",
        "figure": "1",
        "caption": "1",
        "ocr": "1",
        "footnote": "1",
    }
    assert "2 of 3 pages, 8 parts" in page.text


def test_only_nodes_of_the_pages_shown_are_listed():
    made = payload(paragraph("One."), paragraph("Two.", 2), paragraph("Three.", 3))
    page = Elements(render_viewer(made, [picture(2)]))
    assert "Two." in page.text
    assert "Three." not in page.text


def test_a_document_without_pages_is_its_tree():
    made = payload_from_json({"document_id": "a", "text": "One.\n\nTwo <b>."})
    html = render_viewer(made)
    assert Elements(html).boxes() == []
    assert [item.text for item in view_items(made)] == ["One.", "Two <b>."]
    assert "Two &lt;b&gt;." in html
    assert "<figure" not in html


def test_invalid_places_are_skipped():
    odd = [
        paragraph("a", page="1"),
        paragraph("b", box=(1, 2, 3)),
        paragraph("c", boxes=[7, [], ["1", 1, 2, 3, 4], [1, 2, 3]]),
        {"text": "d", "metadata": {"page": 1, "bbox": [None, 1, 2, 3]}},
        {"text": "e", "metadata": {"attachment_type": "table"}, "sentences": [{"text": "x", "metadata": {"bbox": 3}}]},
    ]
    items = view_items(payload(*odd))
    assert [item.places for item in items] == [()] * 6
    assert pages_of(items) == [1]


def test_lines_in_no_box_and_no_text_are_dropped_lines():
    item = ViewItem(1, "text", "A sentence that goes on over the page.", (Place(1, (0, 0, 100, 20)),))
    heading = ViewItem(2, "heading", "Bees", ())
    lines = [
        ("A sentence that", (0, 2, 50, 10)),
        ("goes on over the", (0, 90, 50, 95)),
        ("Bees", (0, 30, 20, 40)),
        ("page", (0, 60, 20, 70)),
        ("47 of 49", (150, 95, 160, 99)),
    ]
    found = dropped_lines(picture(lines=lines), [item, heading])
    assert [line.text for line in found] == ["page", "47 of 49"]


@pytest.fixture
def pdf(tmp_path):
    document = pymupdf.open()
    for number in (1, 2, 3):
        page = document.new_page(width=400, height=600)
        page.insert_text((50, 100), f"The bees of page {number} fly.", fontsize=14)
        page.insert_text((380, 590), str(number), fontsize=8)
    document.save(tmp_path / "bees.pdf")
    return tmp_path / "bees.pdf"


def test_a_pdf_is_drawn_page_by_page_at_its_size(pdf):
    first, second = (rendered_page_from_json(value) for value in render_pages(pdf, [1, 3, 9]))
    assert (first.page, second.page, first.width, first.height) == (1, 3, 400, 600)
    drawn = Image.open(io.BytesIO(base64.b64decode(second.webp_base64)))
    assert (drawn.format, drawn.size) == ("WEBP", (867, 1300))
    assert drawn.convert("L").crop((100, 180, 400, 230)).getextrema()[0] < 90  # the line of text is ink
    assert [line.text for line in second.lines] == ["The bees of page 3 fly.", "3"]


def test_a_page_that_is_shown_turned_has_its_boxes_turned(tmp_path):
    document = pymupdf.open()
    page = document.new_page(width=400, height=600)
    page.insert_text((50, 100), "The bees fly.", fontsize=14)
    page.set_rotation(90)
    document.save(tmp_path / "turned.pdf")
    (found,) = (rendered_page_from_json(value) for value in render_pages(tmp_path / "turned.pdf", [1]))
    assert (found.width, found.height) == (600, 400)
    x0, y0, x1, y1 = found.shown_box(found.lines[0].box)
    assert 480 < x0 < 500 < x1 < 520  # what stands 100 points from the top stands 100 from the right
    assert 45 < y0 < 55 < y1
    drawn = Image.open(io.BytesIO(base64.b64decode(found.webp_base64))).convert("L")
    scale = drawn.width / found.width
    assert drawn.crop(tuple(round(side * scale) for side in (x0, y0, x1, y1))).getextrema()[0] < 90


def test_the_caption_of_a_figure_is_part_of_its_text():
    made = payload(paragraph("[Image]", attachment_type="image", page_caption="Figure 1: Bees in flight."))
    assert view_items(made)[1].text == "[Image]\nFigure 1: Bees in flight."


def test_a_file_is_shown_with_the_boxes_of_its_own_parse(pdf):
    page = Elements(view_file(pdf, DocumentsSettings(), [2, 900]))
    assert [attrs["id"] for attrs in page.having("id") if attrs["id"].startswith("picture")] == ["picture-2"]
    (box,) = [attrs for attrs in page.boxes() if "data-node" in attrs]
    top, height = (float(re.search(f"{name}:([0-9.]+)%", box["style"])[1]) for name in ("top", "height"))
    assert top < 100 * 96 / 600 < top + height
    assert "The bees of page 2 fly." in page.text
    assert "The bees of page 1 fly." not in page.text


def test_a_text_file_is_shown_without_pages(tmp_path):
    (tmp_path / "a.md").write_text("# Bees\n\nThey fly.\n")
    html = view_file(tmp_path / "a.md", DocumentsSettings())
    assert "They fly." in html
    assert "<img" not in html


def test_a_file_that_cannot_be_parsed_is_one_sentence(tmp_path):
    (tmp_path / "a.pdf").write_bytes(b"%PDF-1.4 nothing")
    with pytest.raises(DocumentError, match=r"'a\.pdf' is damaged beyond repair"):
        view_file(tmp_path / "a.pdf", DocumentsSettings())


def test_pages_are_refused_where_the_file_has_none_of_them(pdf):
    with pytest.raises(InputFileError, match=r"has 3 pages and none of the requested ones"):
        view_file(pdf, DocumentsSettings(), [4, 900])


def test_a_page_is_shown_once_however_often_it_is_named():
    assert page_range("2,1-3,2") == [2, 1, 3]


@pytest.mark.parametrize("text", ["", "0", "5-2", "a", "1-", "1,,2", "-3", "1-999999999"])
def test_a_page_range_that_is_none_is_refused(text):
    with pytest.raises(InputFileError, match="must be a 1-based range"):
        page_range(text)
