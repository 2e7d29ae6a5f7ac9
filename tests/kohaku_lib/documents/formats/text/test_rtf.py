"""RTF files become headings, paragraphs and tables in the encoding that they state."""

import pytest

from kohaku_lib.documents.formats.text.rtf import parse_rtf
from kohaku_lib.errors import DocumentError

HEAD = rb"""{\rtf1\ansi\ansicpg1251\deff0{\fonttbl{\f0\fnil\fcharset204 Arial;}}
{\stylesheet{\s0 Normal;}{\s1\sb240\outlinelevel0\b heading 1;}{\s12\b heading 2;}{\s15 Other;}}"""


def outline(body, head=HEAD):
    payload = parse_rtf(head + body + b"}", "a", "A")
    return [(section.title, [one.text for one in section.paragraphs]) for section in payload.sections]


def test_headings_come_by_style_and_by_outline_level():
    body = rb"\pard\s1 Hives\par\pard\s15 A heading of one.\par\pard\s12\b Sizes\par\pard\outlinelevel2 Small\par\pard Ten.\par"
    assert outline(body) == [("Hives", ["A heading of one."]), ("Small", ["Ten."])]
    (_, small) = parse_rtf(HEAD + body + b"}", "a", "A").sections
    assert small.metadata["heading_path"] == ["Hives", "Sizes", "Small"]


def test_the_encoding_is_that_of_the_code_page_and_unicode_goes_before_it():
    assert outline(rb"\pard\f0 \'cf\'f7\'e5\'eb\'fb \u233? \u-10179?\u-8704?\par") == [("A", ["Пчелы é 😀"])]
    assert outline("\\pard Пчелы\\par".encode("cp1251")) == [("A", ["Пчелы"])]


def test_rows_become_a_table():
    body = rb"Prices:\par\trowd\intbl item\cell price\cell\row\trowd\intbl tea\cell 2\cell\row\pard After.\par"
    assert outline(body) == [("A", ["Prices:", "| item | price |\n| --- | --- |\n| tea | 2 |", "After."])]


def test_footnotes_are_in_brackets_and_comments_and_running_heads_are_left_out():
    body = rb"{\header head\par}They hum{\super 1}{\footnote \pard\plain At {\b dusk\}}.}.{\*\annotation no}\par"
    assert outline(body) == [("A", ["They hum1 (At dusk}.)."])]


def test_text_boxes_follow_the_paragraph_that_they_are_anchored_in():
    box = rb"{\shp{\*\shpinst{\sp{\sn dx}{\sv 1}}{\shptxt \pard Box\par More\par}}{\shprslt{\*\do{\dptxbxtext Box}}}}"
    assert outline(b"One" + box + rb" two.\par Three.\par") == [("A", ["One two.", "Box", "More", "Three."])]
    old = rb"{\*\do\dobxpage{\dptxbxtext Old}}"
    assert outline(b"One" + old + b" two" + old) == [("A", ["One two", "Old", "Old"])]


def test_hidden_text_is_left_out_and_told():
    styles = rb"{\stylesheet{\s1\v unseen;}}"
    body = rb"They {\v se\'cfcret\par too}hum.\v gone\v0  Loud{\*\xe\v index}.\par\v on\plain  off\par"
    payload = parse_rtf(rb"{\rtf1\ansi\ansicpg1251" + styles + body + b"}", "a", "A")
    assert [one.text for one in payload.sections[0].paragraphs] == ["They", "hum. Loud.", "off"]
    assert payload.metadata == {"hidden_text": ["seПcret", "too", "gone", "on"]}


def test_title_and_author_are_those_of_the_file():
    payload = parse_rtf(HEAD + rb"{\info{\title \'cf\'f7\'e5\'eb\'fb}{\author Ann Bee}}They hum.\par}", "a", "A")
    assert (payload.title, payload.metadata) == ("Пчелы", {"author": "Ann Bee"})


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"Bees", "'A' is not an RTF file"),
        (b"{\\rtf1 {\\fonttbl}}", "'A' contains no text"),
        (b"{\\rtf1 \\u99999999?}", "'A' is damaged"),
        (b"{\\rtf1 {\\footnote x", "'A' contains no text"),
    ],
)
def test_other_and_damaged_files_are_refused(data, message):
    with pytest.raises(DocumentError, match=message):
        parse_rtf(data, "a", "A")
