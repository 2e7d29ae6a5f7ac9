"""OpenDocument texts are read as they are shown: numbers, notes, tables, and nothing that was deleted."""

import zipfile

import pytest
from odf_files import odf_file
from office_bombs import office_bomb

from kohaku_lib.documents import parse_file
from kohaku_lib.errors import DocumentError


def parsed(folder, body, **more):
    return parse_file(odf_file(folder / "my text.odt", body, **more))


def outline(payload):
    return [(section.title, [one.text for one in section.paragraphs]) for section in payload.sections]


def level(number, form="1", kind="list-level-style-number", **more):
    stated = "".join(f' {name.replace("_", ":")}="{value}"' for name, value in more.items())
    return f'<text:{kind} text:level="{number}" style:num-format="{form}"{stated}/>'


def items(*texts):
    return "".join(f"<text:list-item><text:p>{text}</text:p></text:list-item>" for text in texts)


LIST = (
    f'<text:list-style style:name="L1">{level(1, **{"style_num-suffix": "."})}'
    f"{level(2, 'a', **{'style_num-suffix': ')'})}</text:list-style>"
)


def test_headings_come_by_outline_level_with_the_numbers_that_are_shown(tmp_path):
    outline_style = (
        f'<text:outline-style style:name="Outline">{level(1, kind="outline-level-style")}'
        f"{level(2, kind='outline-level-style', **{'text_display-levels': 2})}</text:outline-style>"
    )
    body = (
        '<text:h text:outline-level="1">Hives</text:h><text:p>One.</text:p>'
        '<text:h text:outline-level="1">Bees</text:h><text:h text:outline-level="2">Term</text:h><text:p>Two.</text:p>'
        '<text:h text:outline-level="1" text:is-list-header="true">End</text:h><text:p>Three.</text:p>'
    )
    assert outline(parsed(tmp_path, body, styles=outline_style)) == [
        ("1 Hives", ["One."]),
        ("2.1 Term", ["Two."]),
        ("End", ["Three."]),
    ]


def test_lists_have_their_numbers_and_go_on_where_they_are_continued(tmp_path):
    nested = f"<text:list-item><text:p>two</text:p><text:list>{items('in', 'on')}</text:list></text:list-item>"
    body = (
        f'<text:list text:style-name="L1">{items("one")}{nested}</text:list><text:p>Between.</text:p>'
        f'<text:list text:style-name="L1" text:continue-numbering="true">{items("three")}</text:list>'
        f'<text:list text:style-name="L1">{items("again")}</text:list><text:list>{items("bullet")}</text:list>'
    )
    assert outline(parsed(tmp_path, body, automatic=LIST)) == [
        ("my text", ["1. one\n2. two\n  a) in\n  b) on", "Between.", "3. three", "1. again", "- bullet"])
    ]


def test_a_heading_in_a_numbered_list_is_a_heading(tmp_path):
    body = (
        '<text:list text:style-name="L1"><text:list-item><text:h text:outline-level="1">Hives</text:h></text:list-item>'
        "</text:list><text:p>One.</text:p>"
    )
    assert outline(parsed(tmp_path, body, automatic=LIST)) == [("1. Hives", ["One."])]


def test_tables_have_their_spans_repeated_columns_and_captions(tmp_path):
    def cell(text, more=""):
        return f"<table:table-cell {more}><text:p>{text}</text:p></table:table-cell>"

    wide = cell("MWh", 'table:number-columns-spanned="2"')
    twice = cell("7", 'table:number-columns-repeated="2"')
    far = '<table:table-cell table:number-columns-repeated="1000000"/>'
    rows = (
        f"<table:table-header-rows><table:table-row>{cell('Model')}{wide}"
        f"<table:covered-table-cell/></table:table-row></table:table-header-rows>"
        f"<table:table-row>{cell('GPT')}{twice}{far}</table:table-row>"
    )
    body = f'<table:table>{rows}</table:table><text:p text:style-name="P1">Table 1: Energy</text:p>'
    caption = '<style:style style:name="P1" style:parent-style-name="Table"/>'
    table = "Table 1: Energy\n| Model | MWh | MWh |\n| --- | --- | --- |\n| GPT | 7 | 7 |"
    assert outline(parsed(tmp_path, body, automatic=caption)) == [("my text", [table])]


def test_notes_follow_their_block_and_what_is_deleted_or_hidden_is_left_out(tmp_path):
    body = (
        "<text:tracked-changes><text:changed-region><text:deletion><text:p>gone</text:p></text:deletion>"
        "</text:changed-region></text:tracked-changes>"
        "<text:p>A<text:s text:c='2'/>hive<text:change text:change-id='c'/><text:line-break/>hums"
        "<text:note text:note-class='endnote'><text:note-citation>i</text:note-citation><text:note-body>"
        "<text:p>At dusk.</text:p></text:note-body></text:note><text:span text:style-name='T1'>secret</text:span>."
        "<office:annotation><dc:creator>Ann</dc:creator><text:p>Sure?</text:p></office:annotation></text:p>"
        "<text:p>10<text:span text:style-name='T2'>6</text:span> bees.</text:p>"
    )
    styles = (
        '<style:style style:name="T1"><style:text-properties text:display="none"/></style:style>'
        '<style:style style:name="T2"><style:text-properties style:text-position="super 58%"/></style:style>'
    )
    payload = parsed(tmp_path, body, automatic=styles)
    assert outline(payload) == [("my text", ["A hive\nhums[i].", "[i] At dusk.", "10^6 bees."])]
    assert payload.sections[0].paragraphs[1].metadata == {"block": "endnote"}
    assert payload.metadata == {"comments": ["Ann: Sure?"]}


def test_text_boxes_follow_and_pictures_leave_their_description(tmp_path):
    body = (
        "<text:p>Before<draw:frame><draw:text-box><text:p>In the box.</text:p></draw:text-box></draw:frame> after."
        "<draw:frame><draw:image/><svg:desc>A hive</svg:desc></draw:frame></text:p>"
    )
    assert outline(parsed(tmp_path, body)) == [("my text", ["Before after.", "In the box.", "A hive"])]


def test_headers_and_footers_of_the_pages_in_use_stand_once_before_the_text(tmp_path):
    def page(name, text):
        return f'<style:master-page style:name="{name}"><style:footer>{text}</style:footer></style:master-page>'

    number = "<text:p>Draft <text:page-number>3</text:page-number></text:p>"
    masters = page("Standard", number) + page("Other", "<text:p>unused</text:p>")
    assert outline(parsed(tmp_path, "<text:p>Text.</text:p>", masters=masters)) == [("my text", ["Draft", "Text."])]


def test_title_author_date_and_language_are_those_of_the_properties(tmp_path):
    meta = (
        "<dc:title>On Bees</dc:title><meta:initial-creator>Ann</meta:initial-creator><dc:creator>Bo</dc:creator>"
        "<meta:creation-date>2024-05-01T10:00:00</meta:creation-date><dc:language>de-AT</dc:language>"
    )
    payload = parsed(tmp_path, "<text:p>Text.</text:p>", meta=meta)
    assert payload.title == "On Bees"
    assert payload.metadata == {"author": "Ann", "date": "2024-05-01", "language": "de"}


@pytest.mark.parametrize(
    ("body", "manifest", "message"),
    [
        ("", "", r"'my text\.odt' contains no text"),
        (
            "<text:p>x</text:p>",
            "<manifest:encryption-data/>",
            r"'my text\.odt' is encrypted; save it without a password",
        ),
        ("<text:p>", "", r"'my text\.odt' is damaged or not XML"),
    ],
)
def test_encrypted_damaged_and_empty_files_are_refused(tmp_path, body, manifest, message):
    with pytest.raises(DocumentError, match=message):
        parsed(tmp_path, body, manifest=manifest)


def test_a_file_that_unpacks_to_more_than_the_limit_is_refused(tmp_path):
    path = odf_file(tmp_path / "bomb.odt", "<text:p>X</text:p>")
    path.write_bytes(office_bomb(path.read_bytes(), ".odt", 600_000_000))
    with pytest.raises(DocumentError, match=r"'bomb\.odt' unpacks to 572 MiB, more than the limit"):
        parse_file(path)


def test_a_file_of_another_kind_is_refused(tmp_path):
    path = odf_file(tmp_path / "a.ods", "")
    with pytest.raises(DocumentError, match=r"'b\.odt' contains no text; correct its suffix"):
        parse_file(path.rename(tmp_path / "b.odt"))
    with zipfile.ZipFile(tmp_path / "c.odt", "w") as archive:
        archive.writestr("a.txt", "x")
    with pytest.raises(DocumentError, match=r"is a zip file, but not a \.odt file"):
        parse_file(tmp_path / "c.odt")


def test_a_note_without_a_mark_is_read(tmp_path):
    body = "<text:p>A hive<text:note><text:note-body><text:p>At dusk.</text:p></text:note-body></text:note>.</text:p>"
    assert "At dusk." in parsed(tmp_path, body).text
