"""Headings and lists of Word files have the numbers that Word shows."""

import pytest
from word_files import p, word_file

from kohaku_lib.documents import parse_file


def numbered(text, number=1, level=0, style=""):
    return p(text, f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{number}"/></w:numPr>', style)


def level(depth, text, number_format="decimal", start=1, more=""):
    return (
        f'<w:lvl w:ilvl="{depth}"><w:start w:val="{start}"/><w:numFmt w:val="{number_format}"/>'
        f'{more}<w:lvlText w:val="{text}"/></w:lvl>'
    )


def a_list(*levels, number=0, more=""):
    return f'<w:abstractNum w:abstractNumId="{number}">{more}{"".join(levels)}</w:abstractNum>'


def num(number=1, of=0, overrides=""):
    return f'<w:num w:numId="{number}"><w:abstractNumId w:val="{of}"/>{overrides}</w:num>'


def start_override(depth, start):
    return f'<w:lvlOverride w:ilvl="{depth}"><w:startOverride w:val="{start}"/></w:lvlOverride>'


OUTLINE = a_list(level(0, "%1"), level(1, "%1.%2"), level(2, "%1.%2.%3")) + num()


@pytest.fixture
def read(tmp_path):
    def read(body, numbering=OUTLINE, styles=""):
        return parse_file(word_file(tmp_path / "a.docx", body, styles, numbering=numbering))

    return read


def lines(payload):
    return payload.text.splitlines()


def test_headings_have_their_numbers(read):
    body = numbered("Delivery", style="Heading1") + p("Ten days.") + numbered("Payment", style="Heading1")
    body += numbered("Term", level=1, style="Heading2") + p("21 days, as in 1.")
    body += numbered("Interest", level=1, style="Heading2") + p("9 %.") + numbered("End", style="Heading1") + p("Now.")
    assert [section.metadata["heading_path"] for section in read(body).sections] == [
        ["1 Delivery"],
        ["2 Payment", "2.1 Term"],
        ["2 Payment", "2.2 Interest"],
        ["3 End"],
    ]


def test_a_style_carries_the_numbering_and_the_level_that_names_it(read):
    numbering = a_list(level(0, "Article %1", more='<w:pStyle w:val="Heading1"/>'), level(1, "%1.%2")) + num()
    numbering = numbering.replace("%1.%2", '%1.%2"/><w:pStyle w:val="Clause')
    styles = '<w:style w:type="paragraph" w:styleId="Clause"><w:name w:val="Clause"/><w:pPr><w:numPr>'
    styles += '<w:numId w:val="1"/></w:numPr></w:pPr></w:style><w:style w:type="paragraph" w:styleId="Sub">'
    styles += '<w:name w:val="Sub"/><w:basedOn w:val="Clause"/></w:style>'
    body = numbered("Scope", style="Heading1") + p("All goods.", style="Clause") + p("No services.", style="Sub")
    (section,) = read(body, numbering, styles).sections
    assert section.title == "Article 1 Scope"
    assert section.paragraphs[0].text == "1.1 All goods.\n1.2 No services."


def test_the_number_zero_takes_the_numbering_of_the_style_away(read):
    styles = '<w:style w:type="paragraph" w:styleId="Clause"><w:name w:val="Clause"/><w:pPr><w:numPr>'
    styles += '<w:numId w:val="1"/></w:numPr></w:pPr></w:style>'
    numbering = a_list(level(0, "%1.", more='<w:pStyle w:val="Clause"/>')) + num()
    body = p("one", style="Clause") + p("free", '<w:numPr><w:numId w:val="0"/></w:numPr>', "Clause")
    assert lines(read(body + p("two", style="Clause"), numbering, styles)) == ["1. one", "", "free", "", "2. two"]


@pytest.mark.parametrize(
    ("number_format", "text", "labels"),
    [
        ("lowerLetter", "%1)", ["a)", "b)"]),
        ("upperLetter", "(%1)", ["(A)", "(B)"]),
        ("lowerRoman", "%1.", ["i.", "ii."]),
        ("upperRoman", "%1 –", ["I –", "II –"]),
        ("decimalZero", "§ %1", ["§ 01", "§ 02"]),
        ("ordinal", "%1", ["1st", "2nd"]),
        ("bullet", "•", ["-", "-"]),
        ("bullet", "☐", ["☐", "☐"]),
    ],
)
def test_the_label_is_written_in_the_format_of_the_list(read, number_format, text, labels):
    numbering = a_list(level(0, text, number_format)) + num()
    read_lines = lines(read(numbered("bee") + numbered("wasp"), numbering))
    assert read_lines == [f"{labels[0]} bee", f"{labels[1]} wasp"]


@pytest.mark.parametrize(("font", "label"), [("Wingdings", "☐"), ("Symbol", "-")])
def test_the_bullet_of_a_checklist_is_a_box(read, font, label):
    fonts = f'<w:rPr><w:rFonts w:ascii="{font}"/></w:rPr>'
    assert lines(read(numbered("bee"), a_list(level(0, "\uf0a8", "bullet", more=fonts)) + num())) == [f"{label} bee"]


def test_letters_go_on_after_z_as_word_counts(read):
    numbering = a_list(level(0, "%1)", "lowerLetter", start=26)) + num()
    assert lines(read(numbered("x") * 3, numbering)) == ["z) x", "aa) x", "bb) x"]


def test_a_list_goes_on_after_text_and_another_of_the_same_kind_goes_on_counting(read):
    numbering = a_list(level(0, "%1.")) + num(1) + num(2) + num(3, overrides=start_override(0, 5))
    body = numbered("a") + p("Text.") + numbered("b") + p("Text.") + numbered("c", 2) + p("Text.")
    body += numbered("d", 3) + numbered("e", 3) + p("Text.") + numbered("f", 1)
    assert [line for line in lines(read(body, numbering)) if line not in {"", "Text."}] == [
        "1. a",
        "2. b",
        "3. c",
        "5. d",
        "6. e",
        "7. f",
    ]


def test_lists_of_their_own_begin_at_one(read):
    numbering = a_list(level(0, "%1.")) + a_list(level(0, "%1."), number=1) + num(1) + num(2, of=1)
    body = numbered("a") + numbered("b") + numbered("c", 2) + numbered("d", 2)
    assert lines(read(body, numbering)) == ["1. a", "2. b", "", "1. c", "2. d"]


def test_lists_of_another_kind_within_a_list_are_part_of_it(read):
    numbering = a_list(level(0, "%1."), level(1, "%2)")) + a_list(
        level(0, "•", "bullet"), level(1, "•", "bullet"), number=1
    )
    body = numbered("a") + numbered("b", 2, 1) + numbered("c") + numbered("d", level=1)
    assert lines(read(body, numbering + num(1) + num(2, of=1))) == ["1. a", "  - b", "2. c", "  1) d"]


def test_deeper_levels_restart_and_are_indented(read):
    numbering = a_list(level(0, "%1."), level(1, "%2)", "lowerLetter"), level(2, "%1.%2.%3")) + num()
    body = numbered("A") + numbered("B", level=1) + numbered("C", level=2) + numbered("D", level=1)
    body += numbered("E") + numbered("F", level=1)
    assert lines(read(body, numbering)) == ["1. A", "  a) B", "    1.a.1 C", "  b) D", "2. E", "  a) F"]


def test_a_level_that_never_restarts_counts_on(read):
    numbering = a_list(level(0, "%1."), level(1, "No. %2", more='<w:lvlRestart w:val="0"/>')) + num()
    body = numbered("A") + numbered("B", level=1) + numbered("C") + numbered("D", level=1)
    assert lines(read(body, numbering)) == ["1. A", "  No. 1 B", "2. C", "  No. 2 D"]


def test_a_level_above_that_has_no_paragraph_counts_as_begun(read):
    assert lines(read(numbered("A", level=1) + numbered("B", level=1))) == ["1.1 A", "1.2 B"]


def test_legal_numbering_writes_all_numbers_in_digits(read):
    numbering = a_list(level(0, "%1", "upperRoman"), level(1, "%1.%2", more="<w:isLgl/>")) + num()
    assert lines(read(numbered("A") + numbered("B", level=1), numbering)) == ["I A", "  1.1 B"]


def test_an_override_may_replace_a_level(read):
    override = f'<w:lvlOverride w:ilvl="0">{level(0, "(%1)", "lowerRoman")}</w:lvlOverride>'
    assert lines(read(numbered("A"), a_list(level(0, "%1.")) + num(overrides=override))) == ["(i) A"]


def test_a_list_may_be_that_of_a_list_style(read):
    styles = '<w:style w:type="numbering" w:styleId="Legal"><w:name w:val="Legal"/><w:pPr><w:numPr>'
    styles += '<w:numId w:val="1"/></w:numPr></w:pPr></w:style>'
    numbering = (
        a_list(level(0, "%1)")) + a_list(number=1, more='<w:numStyleLink w:val="Legal"/>') + num() + num(2, of=1)
    )
    assert lines(read(numbered("A", 2), numbering, styles)) == ["1) A"]


def test_nothing_separates_a_number_from_its_heading_if_word_shows_nothing(read):
    numbering = a_list(level(0, "Q%1:", more='<w:suff w:val="nothing"/>')) + num()
    assert read(numbered("Why?", style="Heading1") + p("So."), numbering).sections[0].title == "Q1:Why?"


def test_paragraphs_of_a_level_without_a_label_are_text(read):
    numbering = a_list(level(0, "", "none")) + num()
    assert lines(read(numbered("A") + numbered("B"), numbering)) == ["A", "", "B"]


def test_empty_paragraphs_count_as_in_word_but_are_not_shown(read):
    numbering = a_list(level(0, "%1.")) + num()
    assert lines(read(numbered("A") + numbered("") + numbered("B"), numbering)) == ["1. A", "3. B"]


def test_numbers_in_tables_are_the_text_of_their_cells(read):
    cells = [f"<w:tc>{one}</w:tc>" for one in (p("No."), p("Tool"), numbered(""), p("saw"), numbered(""), p("axe"))]
    body = "<w:tbl>" + "".join(f"<w:tr>{''.join(cells[at : at + 2])}</w:tr>" for at in (0, 2, 4)) + "</w:tbl>"
    numbering = a_list(level(0, "%1.")) + num()
    assert lines(read(body, numbering))[2:] == ["| 1. | saw |", "| 2. | axe |"]


def test_a_reference_to_a_missing_list_is_no_numbering(read):
    assert lines(read(numbered("A", 77) + numbered("B", level=8))) == ["A", "", "B"]


def test_a_list_of_absurd_numbers_is_read(read):
    numbering = a_list(level(0, "%1)", "lowerLetter", start=999999999), level(999999999, "%1")) + num()
    assert lines(read(numbered("A") + numbered("B", level=999999999), numbering))[0] == "999999999) A"
