"""Notes of Word files follow what refers to them; comments are metadata."""

import pytest
from word_files import p, r, word_file

from kohaku_lib.documents import parse_file


def note(number, kind="footnote"):
    return f'<w:r><w:{kind}Reference w:id="{number}"/></w:r>'


FOOTNOTES = (
    f'<w:footnote w:type="separator" w:id="0">{p()}</w:footnote>'
    f'<w:footnote w:id="1">{p("Since 2024.")}{p("Before, 30.")}</w:footnote><w:footnote w:id="2">{p("By law.")}</w:footnote>'
)
ENDNOTES = f'<w:endnote w:id="1">{p("Act 7.")}</w:endnote>'


@pytest.fixture
def read(tmp_path):
    return lambda body, **parts: parse_file(word_file(tmp_path / "a.docx", body, **parts))


def blocks(payload):
    return [(one.metadata.get("block"), one.text) for section in payload.sections for one in section.paragraphs]


def test_a_note_follows_the_paragraph_that_refers_to_it(read):
    body = p(r("45 days") + note(1) + r(" or more") + note(1, "endnote") + r(".")) + p(r("Free") + note(2)) + p("End.")
    assert blocks(read(body, footnotes=FOOTNOTES, endnotes=ENDNOTES)) == [
        (None, "45 days[1] or more[2]."),
        ("footnote", "[1] Since 2024. Before, 30."),
        ("endnote", "[2] Act 7."),
        (None, "Free[3]"),
        ("footnote", "[3] By law."),
        (None, "End."),
    ]


def test_a_note_of_a_table_or_heading_follows_it(read):
    cells = [p("Days"), p("Free"), p(r("45") + note(1)), p("no")]
    rows = "".join(f"<w:tr>{''.join(f'<w:tc>{one}</w:tc>' for one in cells[at : at + 2])}</w:tr>" for at in (0, 2))
    body = p(r("Terms") + note(2), style="Heading1") + f"<w:tbl>{rows}</w:tbl>" + p("End.")
    payload = read(body, footnotes=FOOTNOTES)
    assert blocks(payload) == [
        ("footnote", "[1] By law."),
        (None, "| Days | Free |\n| --- | --- |\n| 45[2] | no |"),
        ("footnote", "[2] Since 2024. Before, 30."),
        (None, "End."),
    ]
    assert payload.sections[0].title == "Terms[1]"


def test_comments_are_metadata_with_the_words_that_they_are_on(read):
    start, end = (f'<w:commentRange{one} w:id="5"/>' for one in ("Start", "End"))
    body = p(r("Kept ") + start + r("45 days") + end + '<w:r><w:commentReference w:id="5"/></w:r>' + r("."))
    comments = f'<w:comment w:id="5" w:author="Ann Bee">{p("Not 60?")}{p("Ask.")}</w:comment>'
    comments += f'<w:comment w:id="6">{p("Good.")}</w:comment><w:comment w:id="7" w:author="Bo">{p()}</w:comment>'
    payload = read(body, comments=comments)
    assert payload.text == "Kept 45 days."
    assert payload.metadata["comments"] == ['Ann Bee on "45 days": Not 60? Ask.', "Unknown: Good."]
    assert "comments" not in read(body).metadata


def test_a_comment_on_a_long_text_begins_with_its_beginning(read):
    start, end = (f'<w:commentRange{one} w:id="5"/>' for one in ("Start", "End"))
    comments = f'<w:comment w:id="5" w:author="Ann">{p("Too long.")}</w:comment>'
    payload = read(p(start + r("one two three " * 20) + end), comments=comments)
    assert payload.metadata["comments"] == [f'Ann on "{"one two three " * 14}…": Too long.']
