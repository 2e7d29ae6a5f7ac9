"""Form fields of Word files are read with their states."""

import pytest
from word_files import p, r, word_file

from kohaku_lib.documents import parse_file


@pytest.fixture
def read(tmp_path):
    return lambda body: parse_file(word_file(tmp_path / "a.docx", body)).text


def field(data, instruction, result=""):
    run = '<w:r><w:fldChar w:fldCharType="{}"{}</w:r>'
    separate = run.format("separate", "/>") + result if result else ""
    return (
        run.format("begin", f"><w:ffData>{data}</w:ffData></w:fldChar>")
        + f"<w:r><w:instrText> {instruction} </w:instrText></w:r>"
        + separate
        + run.format("end", "/>")
    )


def control(properties, content):
    return f"<w:sdt><w:sdtPr>{properties}</w:sdtPr><w:sdtContent>{content}</w:sdtContent></w:sdt>"


@pytest.mark.parametrize(
    ("state", "box"),
    [
        ("<w:checked/>", "☒"),
        ('<w:checked w:val="0"/>', "☐"),
        ('<w:default w:val="1"/>', "☒"),
        ('<w:default w:val="1"/><w:checked w:val="0"/>', "☐"),
        ("", "☐"),
    ],
)
def test_a_legacy_check_box_is_a_box(read, state, box):
    data = f"<w:checkBox><w:sizeAuto/>{state}</w:checkBox>"
    assert read(p(field(data, "FORMCHECKBOX") + r(" Remote access"))) == f"{box} Remote access"


@pytest.mark.parametrize(
    ("state", "shown", "box"),
    [('<w14:checked w14:val="1"/>', "☒", "☒"), ('<w14:checked w14:val="0"/>', "☐", "☐"), ("", "o", "☐")],
)
def test_a_check_box_control_is_its_state_whatever_sign_shows_it(read, state, shown, box):
    data = f"<w14:checkbox>{state}</w14:checkbox>"
    assert read(p(control(data, r(shown)) + r(" Badge issued"))) == f"{box} Badge issued"


def test_a_check_box_may_fill_a_cell(read):
    cells = [p("Badge"), control("<w14:checkbox><w14:checked w14:val='1'/></w14:checkbox>", p(r("☒")))]
    rows = [[p("Item"), p("Done")], cells]
    table = "".join(f"<w:tr>{''.join(f'<w:tc>{one}</w:tc>' for one in row)}</w:tr>" for row in rows)
    assert read(f"<w:tbl>{table}</w:tbl>").splitlines()[-1] == "| Badge | ☒ |"


ENTRIES = '<w:listEntry w:val="Kirkwall"/><w:listEntry w:val="Lerwick"/>'


@pytest.mark.parametrize(
    ("state", "result", "site"),
    [
        ('<w:result w:val="1"/>', "", "Lerwick"),
        ('<w:default w:val="1"/>', "", "Lerwick"),
        ("", "", "Kirkwall"),
        ('<w:result w:val="7"/>', "", ""),
        ('<w:result w:val="1"/>', r("Lerwick"), "Lerwick"),
    ],
)
def test_a_legacy_list_is_its_chosen_entry(read, state, result, site):
    body = p(r("Site: ") + field(f"<w:ddList>{state}{ENTRIES}</w:ddList>", "FORMDROPDOWN", result) + r(" (Shetland)"))
    assert read(body) == " ".join(f"Site: {site} (Shetland)".split())


def test_a_list_control_is_its_chosen_entry_and_an_empty_control_nothing(read):
    entries = '<w:dropDownList><w:listItem w:displayText="Lerwick" w:value="2"/></w:dropDownList>'
    assert read(p(r("Site: ") + control(entries, r("Lerwick")))) == "Site: Lerwick"
    assert read(p(r("Site: ") + control(f"<w:showingPlcHdr/>{entries}", r("Choose an item.")) + r(" by Ann"))) == (
        "Site: by Ann"
    )


def test_a_prompt_is_removed_without_the_controls_beside_it(read):
    inner = control("", p("Osthafen Marine"))
    assert read(control("<w:showingPlcHdr/>", p("Enter a name.") + inner)) == "Osthafen Marine"


def test_a_text_field_is_its_text(read):
    assert read(p(r("Name: ") + field("<w:textInput/>", "FORMTEXT", r("Ann Bee")))) == "Name: Ann Bee"


@pytest.mark.parametrize("sign", ['<w:sym w:font="Wingdings" w:char="F0FE"/>', "<w:t>\uf0fe</w:t>", "<w:t>þ</w:t>"])
def test_signs_of_symbol_fonts_are_unicode(read, sign):
    fonts = '<w:rPr><w:rFonts w:ascii="Wingdings" w:hAnsi="Wingdings"/></w:rPr>'
    assert read(p(f"<w:r>{fonts}{sign}</w:r>{r(' paid')}")) == "☒ paid"


@pytest.mark.parametrize("code", ["", "0000", "D800", "FFFFFFFFFF", "zz"])
def test_a_symbol_of_no_character_takes_nothing_else_along(read, code):
    assert read(p(f'<w:r><w:sym w:font="Wingdings" w:char="{code}"/></w:r>{r("paid")}')) == "paid"


def test_controls_around_paragraphs_words_rows_and_cells_hide_none_of_them(read):
    def cell(text):
        return f"<w:tc>{p(text)}</w:tc>"

    rows = [
        f"<w:tr>{cell('Trade')}{cell('Rate')}</w:tr>",
        control("", f"<w:tr>{cell('Welder')}{cell('512 EUR')}</w:tr>"),
        f"<w:tr>{cell('Fitter')}{control('', cell('498 EUR'))}</w:tr>",
    ]
    title = control("", control("", p("Frame contract")))
    value = p(r("The value is ") + control("", r("84,300 EUR")) + r(" without tax."))
    assert read(f"{title}{value}<w:tbl>{''.join(rows)}</w:tbl>") == (
        "Frame contract\n\nThe value is 84,300 EUR without tax.\n\n"
        "| Trade | Rate |\n| --- | --- |\n| Welder | 512 EUR |\n| Fitter | 498 EUR |"
    )
