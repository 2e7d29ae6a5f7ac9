"""Text that Word hides is left out and told, whether it is marked so itself or by its style."""

import pytest
from word_files import word_file

from kohaku_lib.documents import parse_file
from kohaku_lib.errors import DocumentError

VANISH = "<w:rPr><w:vanish/></w:rPr>"
STYLES = (
    f'<w:style w:type="paragraph" w:styleId="Secret"><w:name w:val="Secret"/>{VANISH}</w:style>'
    '<w:style w:type="paragraph" w:styleId="Based"><w:name w:val="Based"/><w:basedOn w:val="Secret"/></w:style>'
    f'<w:style w:type="character" w:styleId="Quiet"><w:name w:val="Quiet"/>{VANISH}</w:style>'
)


def run(text, properties=""):
    return f'<w:r>{properties}<w:t xml:space="preserve">{text}</w:t></w:r>'


def paragraph(*runs, properties=""):
    return f"<w:p><w:pPr>{properties}</w:pPr>{''.join(runs)}</w:p>"


def read(tmp_path, body, **parts):
    payload = parse_file(word_file(tmp_path / "a.docx", body, STYLES, **parts))
    texts = [one.text for section in payload.sections for one in section.paragraphs]
    return texts, payload.metadata.get("hidden_text", [])


def test_marked_text_is_left_out_in_stretches(tmp_path):
    body = paragraph(
        run("In "), run("late ", VANISH), run("spring ", VANISH), run("May"), run(", perhaps", VANISH), run(".")
    )
    assert read(tmp_path, body) == (["In May."], ["late spring", ", perhaps"])


@pytest.mark.parametrize("value", ["0", "false", "off"])
def test_a_mark_that_is_off_hides_nothing_even_in_a_hiding_style(tmp_path, value):
    shown = f'<w:rPr><w:vanish w:val="{value}"/></w:rPr>'
    body = paragraph(run("In May.", shown), properties='<w:pStyle w:val="Secret"/>')
    assert read(tmp_path, body) == (["In May."], [])


@pytest.mark.parametrize("style", ["Secret", "Based"])
def test_a_style_of_paragraphs_hides_them_whole(tmp_path, style):
    body = paragraph(run("In May.")) + paragraph(run("Never."), properties=f'<w:pStyle w:val="{style}"/>')
    assert read(tmp_path, body) == (["In May."], ["Never."])


def test_a_style_of_text_hides_it_and_within_a_hiding_paragraph_shows_it(tmp_path):
    quiet = '<w:rPr><w:rStyle w:val="Quiet"/></w:rPr>'
    body = paragraph(run("In May."), run("Never.", quiet))
    body += paragraph(run("Gone."), run("Here.", quiet), properties='<w:pStyle w:val="Secret"/>')
    assert read(tmp_path, body) == (["In May.", "Here."], ["Never.", "Gone."])


def test_hidden_items_take_no_number(tmp_path):
    numbering = (
        '<w:abstractNum w:abstractNumId="1"><w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/>'
        '<w:lvlText w:val="%1."/></w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="1"/></w:num>'
    )
    item = '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>'
    body = "".join(
        paragraph(run(text, mark), properties=item + mark)
        for text, mark in (("One", ""), ("Hidden", VANISH), ("Two", ""))
    )
    assert read(tmp_path, body, numbering=numbering) == (["1. One\n2. Two"], ["Hidden"])


def test_hidden_rows_text_boxes_fields_and_headers(tmp_path):
    def row(text, properties=""):
        return f"<w:tr>{properties}" + "".join(f"<w:tc>{paragraph(run(one))}</w:tc>" for one in text) + "</w:tr>"

    field = (
        f'<w:r>{VANISH}<w:fldChar w:fldCharType="begin"/></w:r><w:r>{VANISH}<w:instrText>XE "May"</w:instrText></w:r>'
    )
    field += '<w:r><w:fldChar w:fldCharType="end"/></w:r>'
    box = (
        f"<w:r>{VANISH}<w:pict><v:shape><v:textbox><w:txbxContent>{paragraph(run('Boxed'))}</w:txbxContent></v:textbox>"
    )
    box += "</v:shape></w:pict></w:r>"
    table = row(["plan", "price"]) + row(["Basic", "24"], "<w:trPr><w:hidden/></w:trPr>") + row(["Team", "48"])
    texts, hidden = read(tmp_path, paragraph(run("In May"), field, box, run(".")) + f"<w:tbl>{table}</w:tbl>")
    assert texts[0] == "In May."
    assert "Team" in texts[1]
    assert "Basic" not in texts[1]
    assert hidden == ["Basic 24", "Boxed"]


def test_a_shown_formula_stays_where_the_end_of_its_paragraph_is_hidden(tmp_path):
    formula = "<m:oMathPara><m:oMath><m:r><m:t>a = b</m:t></m:r></m:oMath></m:oMathPara>"
    body = paragraph(run("In May.")) + paragraph(run("Never.", VANISH), formula, properties=VANISH)
    assert read(tmp_path, body) == (["In May.", "a = b"], ["Never."])


@pytest.mark.parametrize("kind", ["footnote", "endnote"])
def test_a_note_whose_mark_is_hidden_is_told(tmp_path, kind):
    notes = "".join(f'<w:{kind} w:id="{number}">{paragraph(run(f"Note {number}."))}</w:{kind}>' for number in (1, 2))
    hidden_mark = f'<w:r>{VANISH}<w:{kind}Reference w:id="1"/></w:r>'
    body = paragraph(run("In May"), hidden_mark, f'<w:r><w:{kind}Reference w:id="2"/></w:r>')
    assert read(tmp_path, body, **{f"{kind}s": notes}) == (["In May[1]", "[1] Note 2."], ["Note 1."])


def test_a_file_of_hidden_text_alone_has_no_text(tmp_path):
    with pytest.raises(DocumentError, match="contains no text"):
        read(tmp_path, paragraph(run("Never.", VANISH)))
