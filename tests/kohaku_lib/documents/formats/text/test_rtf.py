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


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (rb"\u-99999?", "\ufffd"),
        (rb"\u1114112?", "\ufffd"),
        (rb"\u9999999999?", "\ufffd"),
        (rb"\u" + b"9" * 5000 + b"?", "\ufffd"),
        (rb"\uc \u233?", "é"),
        (rb"\u?", ""),
        (rb"\u128512?", "😀"),
        (rb"\\u9999999999?", "\\u9999999999?"),  # no sign, but a backslash of the text
    ],
)
def test_a_sign_that_there_is_not_leaves_the_rest_as_it_is(written, read):
    assert outline(rb"Before " + written + rb" after \u233?.\par More.\par") == [
        ("A", [" ".join(f"Before {read} after é.".split()), "More."])
    ]


def test_rows_become_a_table():
    body = rb"Prices:\par\trowd\intbl item\cell price\cell\row\trowd\intbl tea\cell 2\cell\row\pard After.\par"
    assert outline(body) == [("A", ["Prices:", "| item | price |\n| --- | --- |\n| tea | 2 |", "After."])]


@pytest.mark.parametrize(
    ("rows", "table"),
    [
        (  # lines and paragraphs in a cell, a bar as text
            rb"\trowd\cellx1\cellx2\pard\intbl a\line b\cell c\par d|\cell\row",
            "| a b | c d\\| |\n| --- | --- |",
        ),
        (  # the second row has the definition of the first
            rb"\trowd\cellx1\cellx2\intbl a\cell b\cell\row\pard\intbl 1\cell 2\cell\row",
            "| a | b |\n| --- | --- |\n| 1 | 2 |",
        ),
        (  # as Word writes it: the definition stands behind the cells again
            rb"\trowd\clmgf\cellx1\clmrg\cellx2{a\cell \cell}{\trowd\clmgf\cellx1\clmrg\cellx2\row}"
            rb"\trowd\clvmgf\cellx1\cellx2{b\cell 1\cell}{\trowd\clvmgf\cellx1\cellx2\row}"
            rb"\trowd\clvmrg\cellx1\cellx2{\cell 2\cell}{\trowd\clvmrg\cellx1\cellx2\row}",
            "| a | a |\n| --- | --- |\n| b | 1 |\n| b | 2 |",
        ),
        (  # a table within a cell
            rb"\trowd\cellx1\cellx2\intbl a\cell \itap2 1\nestcell 2\nestcell{\*\nesttableprops\trowd\cellx1\cellx2\nestrow}"
            rb"{\nonesttables\par}3\nestcell{\*\nesttableprops{\trowd}\nestrow}\itap1\cell\row",
            "| a | 1, 2; 3 |\n| --- | --- |",
        ),
    ],
)
def test_cells_keep_their_texts_and_merged_ones_are_repeated(rows, table):
    assert outline(rb"Before.\par" + rows + rb"\pard After.\par") == [("A", ["Before.", table, "After."])]


def test_footnotes_are_in_brackets_and_comments_in_the_metadata():
    body = (
        rb"They hum{\super 1}{\footnote \pard\plain At {\b dusk\}}.}.{\*\atnid A}{\*\atnauthor Ann}\chatn"
        rb"{\*\annotation{\*\atndate 1}\pard\plain\f0 \'cf\'f7\'e5\'eb\'fb?}\par{\*\annotation When}"
    )
    payload = parse_rtf(HEAD + body + b"}", "a", "A")
    assert payload.text == "They hum1 (At dusk}.)."
    assert payload.metadata == {"comments": ["Ann: Пчелы?", "Ann: When"]}


@pytest.mark.parametrize(
    ("head", "found"),
    [
        (
            rb"{\header \pard ACME\tab Page {\field{\*\fldinst {\b  PAGE }}{\fldrslt 3}} of {\chpgn}\par Oslo\par}",
            ["ACME\nOslo"],
        ),
        (rb"{\footer \u233?{\chpgn}}{\footerf no}{\headerl no}{\headerr R}", ["é", "R"]),
        (rb"\titlepg\facingp{\footerf F}{\headerl L}{\headerr L}\headery720", ["F", "L"]),
    ],
)
def test_headers_and_footers_that_pages_show_stand_before_the_text(head, found):
    assert outline(head + rb"\pard They hum.\par") == [("A", [*found, "They hum."])]


def test_text_boxes_follow_their_paragraph_and_stay_within_their_cell():
    box = rb"{\shp{\*\shpinst\shpleft0{\sp{\sn shapeType}{\sv 202}}{\shptxt\pard %s\par}}{\shprslt{\*\do no}}}"
    body = box % b"One" + rb"They hum." + box % b"Two" + rb"{\footnote In May.\par}\par"
    rows = rb"\trowd\cellx1\cellx2 a" + box % b"Three" + rb"\cell b\cell\row"
    assert outline(body + rows + rb"\pard End.\par") == [
        ("A", ["They hum. (In May.)", "One", "Two", "| a Three | b |\n| --- | --- |", "End."])
    ]


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


def test_what_is_shown_is_not_told_as_hidden_where_no_font_is_declared():
    for data in (rb"{\rtf1\ansi Hello.\par}", rb"{\rtf1\ansi Hello {\v secret\par}there.\par}"):
        payload = parse_rtf(data, "a", "A")
        assert payload.metadata.get("hidden_text", []) == (["secret"] if b"secret" in data else [])
    noted = parse_rtf(rb"{\rtf1\ansi{\header Top{\v gone}\par}They hum{\footnote In {\v late }May.}.\par}", "a", "A")
    texts = [one.text for one in noted.sections[0].paragraphs]
    assert texts == ["Top", "They hum (In May.)."]
    assert noted.metadata["hidden_text"] == ["gone", "late"]


def test_title_and_author_are_those_of_the_file():
    payload = parse_rtf(HEAD + rb"{\info{\title \'cf\'f7\'e5\'eb\'fb}{\author Ann Bee}}They hum.\par}", "a", "A")
    assert (payload.title, payload.metadata) == ("Пчелы", {"author": "Ann Bee"})


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"Bees", "'A' is not an RTF file"),
        (b"{\\rtf1 {\\fonttbl}}", "'A' contains no text"),
        (b"{\\rtf1 {\\pict\\bin x}}", "'A' is damaged"),
        (b"{\\rtf1 {\\footnote x", "'A' contains no text"),
    ],
)
def test_other_and_damaged_files_are_refused(data, message):
    with pytest.raises(DocumentError, match=message):
        parse_rtf(data, "a", "A")
