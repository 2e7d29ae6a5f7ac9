"""OpenDocument spreadsheets become tables of what their cells show."""

import pytest
from odf_files import odf_file

from kohaku_lib.documents import parse_file
from kohaku_lib.errors import DocumentError
from kohaku_lib.settings import DocumentsSettings


def cell(text="", **more):
    stated = "".join(f' {name.replace("_", ":")}="{value}"' for name, value in more.items())
    return f"<table:table-cell{stated}>{f'<text:p>{text}</text:p>' if text else ''}</table:table-cell>"


def row(*cells, times=1):
    return f'<table:table-row table:number-rows-repeated="{times}">{"".join(cells)}</table:table-row>'


def sheet(name, *rows):
    return f'<table:table table:name="{name}">{"".join(rows)}</table:table>'


def sections(folder, *sheets):
    payload = parse_file(odf_file(folder / "book.ods", "".join(sheets)))
    return [(section.title, [one.text for one in section.paragraphs]) for section in payload.sections]


def test_a_sheet_is_a_section_with_its_cells_as_shown(tmp_path):
    share = cell("12.5 %", office_value="0.125")
    rows = row(cell("city"), cell("share")), row(cell("Graz"), share), row(cell("Linz"), cell(office_value="3"))
    table = "| city | share |\n| --- | --- |\n| Graz | 12.5 % |\n| Linz | 3 |"
    hidden = sheet("Two", row(cell("Note."))).replace("<table:table ", '<table:table table:display="false" ')
    assert sections(tmp_path, sheet("One", *rows), hidden) == [("One", [table]), ("Two", ["Note."])]


def test_repeated_cells_and_rows_are_written_out_within_bounds(tmp_path):
    far = cell(**{"table_number-columns-repeated": "999999999"})
    head = row(cell("a"), cell("b"), cell("c"), far)
    twice = row(cell("7", **{"table_number-columns-repeated": "2"}), cell("x"), far, times=2)
    empty = row(far, times=999_999_999)
    found = sections(tmp_path, sheet("One", head, twice, empty, row(cell("lost"))))
    assert found == [("One", ["| a | b | c |\n| --- | --- | --- |\n| 7 | 7 | x |\n| 7 | 7 | x |"])]


def test_rows_are_numbered_as_in_the_sheet(tmp_path):
    rows = row(cell(), times=8), row(cell("a"), cell("b")), row(cell("1"), cell("2"))
    payload = parse_file(odf_file(tmp_path / "book.ods", sheet("One", *rows)))
    assert payload.sections[0].paragraphs[0].metadata["first_row"] == 10


COVERED = "<table:covered-table-cell><text:p>under</text:p></table:covered-table-cell>"


def spanned(text, rows=1, columns=1):
    return cell(text, **{"table_number-rows-spanned": rows, "table_number-columns-spanned": columns})


def test_merged_cells_fill_their_range_to_the_right_and_downwards(tmp_path):
    heads = row(spanned("City", 2), spanned("2023", 1, 2), COVERED, spanned("2024", 1, 2), COVERED)
    below = row(COVERED, cell("Trams"), cell("Buses"), cell("Trams"), cell("Buses"))
    rows = row(spanned("Graz", 2), *map(cell, "6789")), row(COVERED, *map(cell, "5432"))
    [(_, [table])] = sections(tmp_path, sheet("One", heads, below, *rows))
    assert table.splitlines() == [
        "| City | 2023 Trams | 2023 Buses | 2024 Trams | 2024 Buses |",
        "| --- | --- | --- | --- | --- |",
        "| Graz | 6 | 7 | 8 | 9 |",
        "| Graz | 5 | 4 | 3 | 2 |",
    ]


def test_a_merged_title_is_said_once_and_a_range_beyond_the_sheet_fills_no_more_than_there_is(tmp_path):
    title = row(spanned("Trams", 1, 2), COVERED)
    rows = row(cell("City"), cell("lines")), row(cell("Graz"), spanned("6", 1_000_000, 16_000)), row(cell("Linz"))
    [(_, [table])] = sections(tmp_path, sheet("One", title, *rows))
    assert table == "Trams\n| City | lines |\n| --- | --- |\n| Graz | 6 |\n| Linz | 6 |"


def test_repeated_rows_are_filled_each_by_the_range_above_them(tmp_path):
    rows = row(cell("area"), cell("shop")), row(spanned("North", 2), cell("York")), row(COVERED, cell("Hull"), times=2)
    [(_, [table])] = sections(tmp_path, sheet("One", *rows))
    assert table.splitlines()[2:] == ["| North | York |", "| North | Hull |", "|  | Hull |"]


def test_comments_are_metadata(tmp_path):
    note = "<office:annotation><dc:creator>Ann</dc:creator><text:p>Sure?</text:p></office:annotation>"
    noted = f"<table:table-cell>{note}<text:p>x</text:p></table:table-cell>"
    payload = parse_file(
        odf_file(tmp_path / "book.ods", sheet("One", row(cell("a"), cell("b")), row(noted, cell("y"))))
    )
    assert payload.text == "| a | b |\n| --- | --- |\n| x | y |"
    assert payload.metadata == {"comments": ["Ann: Sure?"]}


def test_what_is_drawn_on_a_sheet_follows_its_rows_and_the_boxes_of_comments_do_not(tmp_path):
    def box(text):
        return f"<draw:frame><draw:text-box><text:p>{text}</text:p></draw:text-box></draw:frame>"

    struck = '<text:span text:style-name="S">old</text:span>'
    note = f"<office:annotation><draw:g>{box('Sure?')}</draw:g></office:annotation>"
    drawn = f"<table:shapes><draw:g>{box('First')}{box(f'{struck} second')}</draw:g></table:shapes>"
    cells = row(f"<table:table-cell>{note}{box('In a cell')}<text:p>x</text:p></table:table-cell>")
    body = f'<table:table table:name="One">{drawn}{cells}'
    style = '<style:style style:name="S"><style:text-properties style:text-line-through-style="solid"/></style:style>'
    payload = parse_file(odf_file(tmp_path / "book.ods", f"{body}</table:table>", automatic=style))
    assert [one.text for one in payload.sections[0].paragraphs] == ["x", "First", "second", "In a cell"]
    assert {one.metadata["sheet"] for one in payload.sections[0].paragraphs} == {"One"}
    assert payload.metadata["struck_text"]["first"] == ["old"]


def test_a_cell_has_its_words_without_their_readings_and_soft_hyphens(tmp_path):
    ruby = "<text:ruby><text:ruby-base>東京</text:ruby-base><text:ruby-text>とうきょう</text:ruby-text></text:ruby>"
    assert sections(tmp_path, sheet("One", row(cell(f"{ruby} Wasser\xadkocher")))) == [("One", ["東京 Wasserkocher"])]


def test_a_book_without_values_is_refused(tmp_path):
    with pytest.raises(DocumentError, match=r"'book\.ods' contains no values"):
        sections(tmp_path, sheet("One", row(cell())))


def test_hidden_sheets_rows_and_columns_are_left_out_and_named_unless_they_are_kept(tmp_path):
    style = '<style:style style:name="off" style:family="table"><style:table-properties table:display="false"/></style:style>'
    columns = '<table:table-column/><table:table-column table:visibility="collapse"/><table:table-column/>'
    draft = row(cell("Ann"), cell("4"), cell("x")).replace(
        "<table:table-row ", '<table:table-row table:visibility="collapse" '
    )
    shown = row(cell("Bo"), cell("5"), cell("two<text:line-break/>lines"))
    plans = sheet("Plans", columns, row(cell("who"), cell("margin"), cell("what")), draft, shown)
    secret = sheet("Draft", row(cell("secret"))).replace("<table:table ", '<table:table table:style-name="off" ')
    path = odf_file(tmp_path / "book.ods", plans + secret, automatic=style)
    payload = parse_file(path)
    assert payload.text == "| who | what |\n| --- | --- |\n| Bo | two lines |"
    assert payload.metadata["hidden_cells"] == [["Draft", "the whole sheet"], ["Plans", "row 2"], ["Plans", "column B"]]
    assert payload.sections[0].paragraphs[0].metadata["first_row"] == 3
    kept = parse_file(path, settings=DocumentsSettings(hidden_cells="keep"))
    assert "| Ann | 4 | x |" in kept.text
    assert "secret" in kept.text


def test_hidden_columns_with_the_same_value_are_all_left_out(tmp_path):
    columns = '<table:table-column/><table:table-column table:visibility="collapse" table:number-columns-repeated="2"/>'
    twice = cell("4", **{"table_number-columns-repeated": 2})
    rows = [row(cell(who), twice, cell(what)) for who, what in (("who", "what"), ("Ann", "x"), ("Bo", "y"))]
    hidden = rows[1].replace("<table:table-row ", '<table:table-row table:visibility="filter" ')
    payload = parse_file(odf_file(tmp_path / "book.ods", sheet("Plans", columns, rows[0], hidden, hidden, rows[2])))
    assert payload.text == "| who | what |\n| --- | --- |\n| Bo | y |"
    assert payload.metadata["hidden_cells"] == [["Plans", "rows 2-3"], ["Plans", "columns B-C"]]
