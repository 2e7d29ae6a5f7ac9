"""What a document strikes out is no text of it: it is in the metadata, counted, whatever the format."""

import pymupdf
import pytest
from hypothesis import given
from hypothesis import strategies as st
from odf_files import odf_file
from openpyxl import Workbook
from openpyxl.cell.rich_text import CellRichText, TextBlock
from openpyxl.cell.text import InlineFont
from openpyxl.styles import Font
from pptx import Presentation
from word_files import word_file

from kohaku_lib.documents import parse_file
from kohaku_lib.documents.formats.shared.struck_text import without_struck
from kohaku_lib.documents.lost_parts import MOST_HIDDEN, struck_texts

STRIKE = "<w:rPr><w:strike/></w:rPr>"


def shown(path):
    payload = parse_file(path)
    return [one.text for section in payload.sections for one in section.paragraphs], struck_texts(payload.metadata)[1]


def written(path, text):
    path.write_text(text, encoding="utf-8")
    return path


def run(text, properties=""):
    return f'<w:r>{properties}<w:t xml:space="preserve">{text}</w:t></w:r>'


def paragraph(*runs, properties=""):
    return f"<w:p><w:pPr>{properties}</w:pPr>{''.join(runs)}</w:p>"


@pytest.mark.parametrize(
    ("text", "expected", "struck"),
    [
        ("It holds ~~24~~ 36 people.", ["It holds 36 people."], ["24"]),
        ("~~Gone.~~ Here, ~~a **b** c~~ d.", ["Here, d."], ["Gone.", "a b c"]),
        ("1. a\n2. ~~b~~\n3. c", ["1. a\n3. c"], ["b"]),
        ("| a | b |\n|---|---|\n| ~~x~~ | y |", ["| a | b |\n| --- | --- |\n|  | y |"], ["x"]),
        ("`~~code~~` and ~one~ tilde", ["~~code~~ and ~one~ tilde"], []),
    ],
)
def test_markdown(tmp_path, text, expected, struck):
    assert shown(written(tmp_path / "a.md", text)) == (expected, struck)


@pytest.mark.parametrize(
    ("page", "expected", "struck"),
    [
        ("<p>At <del>8:00</del> <ins>9:15</ins>.", ["At 9:15."], ["8:00"]),
        ("<p>It costs <span style='color: red; text-decoration:line-through'>7 EUR</span> 11 EUR.", None, ["7 EUR"]),
        ("<p>It costs <strike>7 </strike><b>11 EUR</b>.", None, ["7"]),
        ("<p>It costs<s> 7 EUR </s>11 EUR.", None, ["7 EUR"]),
        ("<p>It costs 11 EUR<s> or <s>less</s></s>.", None, ["or less"]),
        ("<del><p>Gone.<p>Too.</del><p>It costs 11 EUR.", None, ["Gone. Too."]),
        ("<p>It costs <u style='text-decoration: underline'>11</u> EUR.<s hidden>no</s>", None, []),
        (
            "<table><tr><th>a<th>b<tr><td style='text-decoration: line-through'>x<td>y</table>",
            ["| a | b |\n| --- | --- |\n|  | y |"],
            ["x"],
        ),
    ],
)
def test_html(tmp_path, page, expected, struck):
    assert shown(written(tmp_path / "a.html", page)) == (expected or ["It costs 11 EUR."], struck)


@pytest.mark.parametrize("mark", ["<w:strike/>", '<w:dstrike w:val="1"/>', '<w:rStyle w:val="Gone"/>'])
def test_word_runs_by_their_mark_or_style(tmp_path, mark):
    style = f'<w:style w:type="character" w:styleId="Gone"><w:name w:val="Gone"/>{STRIKE}</w:style>'
    marked = f"<w:rPr>{mark}</w:rPr>"
    body = paragraph(run("It holds"), run(" 2", marked), run("4 ", marked), run("36 people."))
    assert shown(word_file(tmp_path / "a.docx", body, style)) == (["It holds 36 people."], ["24"])


def test_a_word_run_that_is_not_struck_stays_in_a_style_that_strikes(tmp_path):
    style = f'<w:style w:type="paragraph" w:styleId="Old"><w:name w:val="Old"/>{STRIKE}</w:style>'
    old = '<w:pStyle w:val="Old"/>'
    body = paragraph(run("Gone."), run("Here.", '<w:rPr><w:strike w:val="0"/></w:rPr>'), properties=old)
    assert shown(word_file(tmp_path / "a.docx", body, style)) == (["Here."], ["Gone."])


def test_a_struck_item_of_word_keeps_its_number_and_a_struck_mark_takes_its_note(tmp_path):
    numbering = (
        '<w:abstractNum w:abstractNumId="1"><w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/>'
        '<w:lvlText w:val="%1."/></w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="1"/></w:num>'
    )
    item = '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>'
    mark = '<w:r><w:rPr><w:strike/></w:rPr><w:footnoteReference w:id="2"/></w:r>'
    notes = f'<w:footnote w:id="2">{paragraph(run("A note."))}</w:footnote>'
    body = paragraph(run("a"), properties=item) + paragraph(run("b", STRIKE), mark, properties=item)
    body += paragraph(run("c"), properties=item)
    file = word_file(tmp_path / "a.docx", body, numbering=numbering, footnotes=notes)
    assert shown(file) == (["1. a\n3. c"], ["b", "A note."])


def test_excel_cells_and_parts_of_them(tmp_path):
    book = Workbook()
    sheet = book.active
    old, bold = InlineFont(strike=True), InlineFont(b=True)
    for row in (["Room", "Seats"], ["Attic", 19], ["Attic", CellRichText(TextBlock(old, "24"), " 36")], ["Hall", 7]):
        sheet.append(row)
    sheet["A5"] = CellRichText(TextBlock(bold, "Barn"), " or shed")
    sheet["B5"] = 8
    for cell in ("A2", "B2", "B4", "A5"):
        sheet[cell].font = Font(strike=True)
    book.save(tmp_path / "a.xlsx")
    table = "| Room | Seats |\n| --- | --- |\n| Attic | 36 |\n| Hall |  |\n| Barn | 8 |"
    assert shown(tmp_path / "a.xlsx") == ([table], ["Attic", "19", "24", "7", "or shed"])


def test_slides_and_their_notes(tmp_path):
    deck = Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[5])
    slide.shapes.title.text = "Rooms"
    box = slide.shapes.add_textbox(0, 0, 9999, 9999).text_frame.paragraphs[0]
    notes = slide.notes_slide.notes_text_frame.paragraphs[0]
    for frame in (box, notes):
        for text, line in (
            ("It holds ", None),
            ("24 ", "sngStrike"),
            ("36", "noStrike"),
            (" people", None),
            (" now", "dblStrike"),
        ):
            frame.add_run().text = text
            if line:
                frame.runs[-1].font._element.set("strike", line)
    deck.save(tmp_path / "a.pptx")
    assert shown(tmp_path / "a.pptx") == (["It holds 36 people"] * 2, ["24", "now"] * 2)


ODF_STYLES = (
    '<style:style style:name="Old" style:family="text"><style:text-properties style:text-line-through-style="solid"/>'
    '</style:style><style:style style:name="T1" style:family="text" style:parent-style-name="Old"/>'
    '<style:style style:name="New" style:family="text"><style:text-properties style:text-line-through-style="none"/>'
    "</style:style>"
)
ODF_TEXT = 'It holds <text:span text:style-name="T1">24<text:s/></text:span>36 people.'


def test_open_document_text_and_slides(tmp_path):
    body = f"<text:p>{ODF_TEXT}</text:p>"
    body += '<text:p text:style-name="Old">Gone. <text:span text:style-name="New">Here.</text:span></text:p>'
    assert shown(odf_file(tmp_path / "a.odt", body, ODF_STYLES)) == (["It holds 36 people.", "Here."], ["24", "Gone."])
    box = f"<draw:frame><draw:text-box><text:p>{ODF_TEXT}</text:p></draw:text-box></draw:frame>"
    slide = f'<draw:page draw:name="a">{box}</draw:page>'
    assert shown(odf_file(tmp_path / "a.odp", slide, ODF_STYLES)) == (["It holds 36 people."], ["24"])


def test_open_document_cells(tmp_path):
    rows = [
        "<table:table-cell><text:p>Room</text:p></table:table-cell><table:table-cell><text:p>Seats</text:p></table:table-cell>",
        f'<table:table-cell><text:p>{ODF_TEXT}</text:p></table:table-cell><table:table-cell table:style-name="Old" '
        'office:value-type="float" office:value="7"><text:p>7</text:p></table:table-cell>',
    ]
    sheet = "".join(f"<table:table-row>{row}</table:table-row>" for row in rows)
    file = odf_file(tmp_path / "a.ods", f'<table:table table:name="S">{sheet}</table:table>', ODF_STYLES)
    assert shown(file) == (["| Room | Seats |\n| --- | --- |\n| It holds 36 people. |  |"], ["24", "7"])


def test_rtf(tmp_path):
    text = r"{\rtf1 It holds {\strike 24 }36 people{\striked1  now}. \strike Gone.\strike0  Here.\par}"
    assert shown(written(tmp_path / "a.rtf", text)) == (["It holds 36 people. Here."], ["24", "now", "Gone."])


PDF_TEXT = "The seminar room holds 24 36 people today."


@pytest.fixture
def sheet():
    """A PDF page with a line of text, and its words by their text: x0, y0, x1, y1."""
    page = pymupdf.open().new_page()
    page.insert_text((72, 100), PDF_TEXT, fontsize=12)
    page.insert_text((72, 130), "A staff of 7 is there.", fontsize=12)
    return page, {word[4]: word[:4] for word in page.get_text("words")}


def saved(page, path):
    page.parent.save(path)
    return path


def middle(box):
    return (box[1] + box[3]) / 2


@pytest.mark.parametrize("way", ["line", "rectangle", "annotation", "two lines that touch"])
def test_words_of_a_pdf_with_a_line_through_them(tmp_path, sheet, way):
    page, words = sheet
    for first, last in (("24", "24"), ("people", "today."), ("staff", "staff"), ("7", "7")):
        (x0, *_), (*_, x1, _), y = words[first], words[last], middle(words[first])
        if way == "line":
            page.draw_line((x0, y), (x1, y), width=0.6)
        elif way == "rectangle":
            page.draw_rect((x0, y, x1, y + 0.6), fill=(0, 0, 0), color=None)
        elif way == "annotation":
            page.add_strikeout_annot((x0, words[first][1], x1, words[last][3]))
        else:
            page.draw_line((x0, y), (x0 + 2.5, y)), page.draw_line((x0 + 2.5, y), (x1, y))
    expected = ["The seminar room holds 36", "A of is there."]
    assert shown(saved(page, tmp_path / "a.pdf")) == (expected, ["24", "people today.", "staff", "7"])


@pytest.mark.parametrize(
    ("from_x", "to_x", "y_share", "width", "colour"),
    [
        ("24", "24", 0.95, 0.6, 0),  # an underline
        ("24", "24", 0.1, 0.6, 0),  # a line above
        ("The", "nowhere", 0.5, 0.6, 0),  # a rule that goes on beside the text
        ("before", "room", 0.5, 0.6, 0),
        ("24", "24", 0.5, 9.0, 0),  # a highlighter
        ("24", "24", 0.5, 0.6, 1),  # white on white
        ("24", "in people", 0.5, 0.6, 0),  # to the middle of a word
    ],
)
def test_other_lines_on_a_pdf_take_no_word(tmp_path, sheet, from_x, to_x, y_share, width, colour):
    page, words = sheet
    x0 = words[from_x][0] if from_x in words else 40
    x1 = words[to_x][2] if to_x in words else words["people"][0] + 16 if to_x == "in people" else 400
    y = words["24"][1] + y_share * (words["24"][3] - words["24"][1])
    page.draw_line((x0, y), (x1, y), width=width, color=(colour,) * 3)
    assert shown(saved(page, tmp_path / "a.pdf")) == ([PDF_TEXT, "A staff of 7 is there."], [])


def test_the_outline_of_a_shape_and_the_rules_of_a_table_take_no_word_of_a_pdf_but_a_line_in_a_cell_does(
    tmp_path, sheet
):
    page, words = sheet
    x0, y0, x1, y1 = words["24"]
    page.draw_rect((x0, (y0 + y1) / 2, x1, 90), color=(0, 0, 0))
    cells = [["Plan", "Price in EUR"], ["Basic", "19 27"], ["Plus", "45"]]
    for row, texts in enumerate(cells):
        for column, text in enumerate(texts):
            box = pymupdf.Rect(72 + 120 * column, 200 + 20 * row, 192 + 120 * column, 220 + 20 * row)
            page.draw_rect(box)
            page.insert_text((box.x0 + 5, box.y1 - 6), text, fontsize=11)
    old = next(word for word in page.get_text("words") if word[4] == "19")
    page.draw_line((old[0], middle(old)), (old[2], middle(old)))
    texts, struck = shown(saved(page, tmp_path / "a.pdf"))
    assert texts[:2] == [PDF_TEXT, "A staff of 7 is there."]
    assert texts[2] == "| Plan | Price in EUR |\n| --- | --- |\n| Basic | 27 |\n| Plus | 45 |"
    assert struck == ["19"]


def test_mail_is_read_by_the_html_that_strikes_and_not_by_the_plain_text_that_cannot(tmp_path):
    page = "<p>The room holds <s>24</s> 36 people.</p>"
    mail = "\n".join(
        (
            "From: a@example.org",
            "Subject: Rooms",
            'Content-Type: multipart/alternative; boundary="x"',
            *("", "--x", "Content-Type: text/plain", "", "The room holds 24 36 people."),
            *("--x", "Content-Type: text/html", "", page, "--x--", ""),
        )
    )
    assert shown(written(tmp_path / "a.eml", mail)) == (
        ["From a@example.org", "The room holds 36 people."],
        ["24"],
    )


def test_texts_beyond_the_first_hundred_are_counted(tmp_path):
    items = "\n".join(f"- ~~{number}~~ new" for number in range(MOST_HIDDEN + 5))
    payload = parse_file(written(tmp_path / "a.md", items))
    count, first = struck_texts(payload.metadata)
    assert (count, len(first), first[-1]) == (MOST_HIDDEN + 5, MOST_HIDDEN, "99")


@given(st.lists(st.tuples(st.text("ab ."), st.booleans())))
def test_all_that_is_not_struck_stays_in_its_order_and_all_else_is_told(pieces):
    kept, struck = without_struck(pieces)
    assert "".join(kept.split()) == "".join("".join(text for text, is_struck in pieces if not is_struck).split())
    assert "".join("".join(struck).split()) == "".join("".join(text for text, is_struck in pieces if is_struck).split())
