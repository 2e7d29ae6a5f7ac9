"""Hidden, merged and computed cells of workbooks."""

import re
import zipfile

import openpyxl
import pytest

from kohaku_lib.documents import list_sources, parse_documents, parse_file
from kohaku_lib.errors import DocumentError
from kohaku_lib.settings import CorpusSettings, DocumentsSettings

KEEP = DocumentsSettings(hidden_cells="keep")


@pytest.fixture
def book():
    return openpyxl.Workbook()


def parsed(book, folder, rows=(), settings=None):
    for row in rows:
        book.active.append(row)
    book.save(folder / "a.xlsx")
    return parse_file(folder / "a.xlsx", settings=settings)


PRICES = [["plan", "price", "margin"], ["Basic", 24, 5], ["Basic", 19, 4], ["Team", 49, 9], ["Group", 99, 20]]


def test_hidden_rows_columns_and_sheets_are_left_out_and_named(book, tmp_path):
    for row in (2, 4, 5, 90):
        book.active.row_dimensions[row].hidden = True
    book.active.column_dimensions["C"].hidden = True
    draft = book.create_sheet("Draft")
    draft.append(["secret", 1])
    draft.sheet_state = "veryHidden"
    payload = parsed(book, tmp_path, PRICES)
    assert payload.text == "| plan | price |\n| --- | --- |\n| Basic | 19 |"
    assert payload.sections[0].paragraphs[0].metadata["first_row"] == 3
    assert payload.metadata["hidden_cells"] == [
        ["Sheet", "row 2"],
        ["Sheet", "rows 4-5"],
        ["Sheet", "column C"],
        ["Draft", "the whole sheet"],
    ]


def test_hidden_cells_are_read_where_they_are_to_be_kept(book, tmp_path):
    book.active.row_dimensions[2].hidden = True
    book.active.column_dimensions["C"].width = 0
    book.create_sheet("Draft").append(["secret", 1])
    book["Draft"].sheet_state = "hidden"
    payload = parsed(book, tmp_path, PRICES, KEEP)
    assert "| Basic | 24 | 5 |" in payload.text
    assert "secret" in payload.text
    assert "hidden_cells" not in payload.metadata


def test_a_workbook_of_hidden_sheets_alone_says_how_to_read_it(book, tmp_path):
    book.active.append(["plan", "price"])
    book.active.sheet_state = "hidden"
    book.create_sheet("Empty")
    with pytest.raises(DocumentError, match=r'documents\.hidden_cells = "keep"'):
        parsed(book, tmp_path)


def test_formulas_without_a_stored_value_are_named_and_reported(book, tmp_path):
    payload = parsed(book, tmp_path, [["item", "cost"], ["oil", 1200], ["sum", "=B2"], ["tax", '=""']])
    assert payload.metadata["formulas_without_value"] == [["Sheet", "B3"], ["Sheet", "B4"]]
    assert "=B2" not in payload.text
    corpus = CorpusSettings(documents=tmp_path)
    _, report = parse_documents(list_sources(corpus)[0], corpus, DocumentsSettings(), workers=1)
    assert report.problems == (
        "a.xlsx: 2 formulas have no stored value (the first is Sheet!B3) and are read as empty; open and save it in a "
        "spreadsheet program",
    )


def test_merged_cells_fill_their_range_to_the_right_and_downwards(book, tmp_path):
    rows = [["City", "2023", None, "2024", None], [None, "Trams", "Buses", "Trams", "Buses"], ["Graz", 6, 31, 7, 33]]
    for row in [*rows, [None, 5, 30, 6, 32]]:
        book.active.append(row)
    for area in ("A1:A2", "B1:C1", "D1:E1", "A3:A4"):
        book.active.merge_cells(area)
    assert parsed(book, tmp_path).text.splitlines() == [
        "| City | 2023 Trams | 2023 Buses | 2024 Trams | 2024 Buses |",
        "| --- | --- | --- | --- | --- |",
        "| Graz | 6 | 31 | 7 | 33 |",
        "| Graz | 5 | 30 | 6 | 32 |",
    ]


def test_a_merged_title_is_a_caption_said_once(book, tmp_path):
    book.active["A1"] = "Trams"
    book.active.merge_cells("A1:B2")
    for row in (["City", "lines"], ["Graz", 6]):
        book.active.append(row)
    assert parsed(book, tmp_path).text == "Trams\n| City | lines |\n| --- | --- |\n| Graz | 6 |"


def test_a_merged_cell_is_read_though_its_first_row_is_hidden(book, tmp_path):
    for row in (["area", "shop"], ["North", "York"], [None, "Hull"]):
        book.active.append(row)
    book.active.merge_cells("A2:A3")
    book.active.row_dimensions[2].hidden = True
    assert parsed(book, tmp_path).text.endswith("\n| North | Hull |")


def test_a_range_merged_over_the_whole_sheet_fills_no_more_than_there_is(book, tmp_path):
    for row in (["a", "b"], [1, 2]):
        book.active.append(row)
    book.active.merged_cells.add("A4:XFD1048576")  # merge_cells would make a cell of each
    book.active["A4"] = "end"
    assert parsed(book, tmp_path).text == "| a | b |\n| --- | --- |\n| 1 | 2 |\n\nend"


def test_a_number_that_its_format_cannot_show_stands_as_it_is(book, tmp_path):
    book.active.append(["name", "amount"])
    book.active.append(["Ann", 12])
    book.active.append(["Bo", 1e300])
    book.active["B3"].number_format = "0." + "0" * 120
    book.save(tmp_path / "book.xlsx")
    text = parse_file(tmp_path / "book.xlsx").text
    assert "| Ann | 12 |" in text
    assert "| Bo | 1" in text


def test_a_title_a_blank_row_and_an_empty_column_leave_the_table_its_header(book, tmp_path):
    rows = [["PROGRESS"], [], ["Task", None, "Owner", "Status"], ["Cabling", None, "Ilse", "Done"]]
    rows.append(["Paint", None, "Ruben", "Open"])
    assert parsed(book, tmp_path, rows).text == (
        "PROGRESS\n| Task | Owner | Status |\n| --- | --- | --- |\n| Cabling | Ilse | Done |\n| Paint | Ruben | Open |"
    )


@pytest.mark.parametrize("word", ["NA", "N/A", "n/a", "NaN", "NULL", "None", "-", "00417", "1e5", "TRUE"])
def test_texts_that_look_like_a_missing_value_or_a_number_are_texts(book, tmp_path, word):
    text = parsed(book, tmp_path, [["City", "Code", "Depot"], ["Windhoek", word, "Lager 4"], ["Oslo", None, word]]).text
    assert text.splitlines()[2:] == [f"| Windhoek | {word} | Lager 4 |", f"| Oslo |  | {word} |"]


def test_a_formula_is_read_as_its_stored_value(book, tmp_path):
    for row in (["item", "cost"], ["bread", 1200], ["fish", 3100], ["total", "=SUM(B2:B3)"]):
        book.active.append(row)
    book.save(tmp_path / "plain.xlsx")
    with zipfile.ZipFile(tmp_path / "plain.xlsx") as plain, zipfile.ZipFile(tmp_path / "a.xlsx", "w") as stored:
        for name in plain.namelist():
            data = plain.read(name)
            stored.writestr(name, re.sub(rb"(</f>)<v ?/>|(</f>)<v></v>", rb"</f><v>4300</v>", data))
    payload = parse_file(tmp_path / "a.xlsx")
    assert payload.text.splitlines()[-1] == "| total | 4300 |"
    assert "formulas_without_value" not in payload.metadata
