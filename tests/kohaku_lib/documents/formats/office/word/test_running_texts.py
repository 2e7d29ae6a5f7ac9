"""Headers and footers of Word files are read once and told apart from the text."""

import pytest
from word_files import p, r, word_file

from kohaku_lib.documents import parse_file

PAGE = '<w:fldSimple w:instr=" PAGE "><w:r><w:t>3</w:t></w:r></w:fldSimple>'
LONG_PAGE = (
    '<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText> NUMPAGES </w:instrText></w:r>'
    '<w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>12</w:t></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>'
)
TAB = "<w:r><w:tab/></w:r>"


def section(*references, more=""):
    return f"<w:sectPr>{''.join(references)}{more}</w:sectPr>"


def reference(kind, part, of="default"):
    return f'<w:{kind}Reference w:type="{of}" r:id="{part}"/>'


@pytest.fixture
def read(tmp_path):
    def read(body, **parts):
        (found,) = parse_file(word_file(tmp_path / "a.docx", body, **parts)).sections
        return [(one.metadata.get("block"), one.text) for one in found.paragraphs]

    return read


def test_headers_and_footers_stand_before_the_text(read):
    body = p("Text.") + section(reference("header", "header1"), reference("footer", "footer1"))
    assert read(body, header1=p("ACME Ltd") + p("Contract 4711"), footer1=p("Confidential")) == [
        ("header", "ACME Ltd\nContract 4711"),
        ("footer", "Confidential"),
        (None, "Text."),
    ]


def test_the_same_text_of_several_sections_is_read_once(read):
    body = p("One.", section(reference("header", "header1"))) + p("Two.", section(reference("header", "header2")))
    assert read(body, header1=p("ACME"), header2=p("ACME")) == [("header", "ACME"), (None, "One."), (None, "Two.")]


@pytest.mark.parametrize(
    ("of", "more", "settings", "is_shown"),
    [
        ("first", "", "", False),
        ("first", "<w:titlePg/>", "", True),
        ("first", '<w:titlePg w:val="0"/>', "", False),
        ("even", "", "", False),
        ("even", "", "<w:evenAndOddHeaders/>", True),
    ],
)
def test_headers_that_no_page_shows_are_not_read(read, of, more, settings, is_shown):
    body = p("Text.") + section(reference("header", "header1", of), more=more)
    shown = [("header", "ACME")] if is_shown else []
    assert read(body, header1=p("ACME"), settings=settings) == [*shown, (None, "Text.")]


@pytest.mark.parametrize(
    ("footer", "text"),
    [
        (p(PAGE), ""),
        (p(r("Page ") + PAGE + r(" of ") + LONG_PAGE), ""),
        (p(r("Seite ") + LONG_PAGE + r(" von ") + PAGE), ""),
        (p(r("– ") + PAGE + r(" –")), ""),
        (p(r("Draft 2") + TAB + r("Page ") + PAGE), "Draft 2"),
        (p(r("Contract 4711, ") + PAGE), "Contract 4711,"),
        (p(r("Page 4 of the plan")), "Page 4 of the plan"),
    ],
)
def test_page_numbers_are_left_out(read, footer, text):
    body = p("Text.") + section(reference("footer", "footer1"))
    assert read(body, footer1=footer) == [*([("footer", text)] if text else []), (None, "Text.")]


def test_a_row_of_a_table_is_a_line(read):
    cells = "".join(f"<w:tc>{p(text)}</w:tc>" for text in ("Document", "QM-12", "Revision 3"))
    body = p("Text.") + section(reference("header", "header1"))
    assert read(body, header1=f"<w:tbl><w:tr>{cells}</w:tr></w:tbl>{p('ACME')}")[0] == (
        "header",
        "Document QM-12 Revision 3\nACME",
    )


def test_changes_and_fields_of_headers_are_read_as_those_of_the_text(read):
    header = p(r("Draft ") + "<w:del><w:r><w:delText>2</w:delText></w:r></w:del><w:ins>" + r("3") + "</w:ins>")
    assert read(p("Text.") + section(reference("header", "header1")), header1=header)[0] == ("header", "Draft 3")
