"""Tables beside each other, and tables that a blank row divides."""

import pytest

from kohaku_lib.documents.formats.office.spreadsheet_tables import sheet_paragraphs


def texts(rows):
    return [paragraph.text.split("\n") for paragraph in sheet_paragraphs(enumerate(rows, start=1), {})]


def test_tables_of_unequal_height_beside_each_other_are_two():
    rows = [
        ["Trams", "", "", "Shops"],
        ["City", "lines", "", "Shop", "opened"],
        ["Graz", "6", "", "York", "2019"],
        ["Linz", "4"],
        ["Total", "10"],
        [],
        ["Source"],
    ]
    assert texts(rows) == [
        ["Trams", "| City | lines |", "| --- | --- |", "| Graz | 6 |", "| Linz | 4 |", "| Total | 10 |"],
        ["Shops", "| Shop | opened |", "| --- | --- |", "| York | 2019 |"],
        ["Source"],
    ]


@pytest.mark.parametrize(
    "rows",
    [
        [["item", "cost", "", "item", "cost"], ["rent", "90", "", "rent", "80"], ["oil", "12", "", "oil", "14"]],
        [["City", "lines", "", "Shop", "sales"], ["Graz", "6", "", "York", "31"], ["Linz", "4", "", "Hull", "28"]],
        [["City", "lines", "", "", "Shop", "owner"], ["Graz", "6", "", "", "York", "Ann"]],
        [["City", "lines", "", "Shop", "owner"], ["Graz", "6", "", "York", "Ann"], ["Linz", "4"]],
    ],
    ids=["the same names", "the same kinds", "two columns apart", "other rows"],
)
def test_each_sign_of_two_tables_suffices(rows):
    assert len(texts(rows)) == 2


@pytest.mark.parametrize(
    "rows",
    [
        [["", "", "2024", "2023"], ["Net sales", "", "88", "91"], ["Costs", "", "40", "42"]],
        [["item", "note", "", "2024", "2023"], ["rent", "a", "", "88", "91"], ["oil", "b", "", "40", "42"]],
        [
            ["name", "team", "", "start", "status"],
            ["Ann", "A", "", "2024-01-02", "on"],
            ["Bob", "B", "", "2023-05-01", "off"],
        ],
        [["item", "qty", "", "price", "sum"], ["oil", "2", "", "3", "6"], ["ink", "4", "", "2", "8"], ["Total", "6"]],
        [
            ["name", "phone", "", "boss", "room"],
            ["Ann", "12", "", "Cy", "a"],
            ["Bob", "15", "", "Cy", "b"],
            ["Di", "17"],
        ],
    ],
    ids=["a spacer", "years", "equal rows", "amounts", "a second column of names that repeat"],
)
def test_a_table_with_an_empty_column_stays_one(rows):
    assert len(texts(rows)) == 1


@pytest.mark.parametrize(
    ("above", "below"),
    [
        ([["city", "lines"]], [["Graz", "6"], ["Linz", "4"]]),
        ([["city", "lines"]], [[], ["Graz", "6"]]),
        ([["task", "owner", "state"]], [["paint", "Ann", "open"], ["wire", "Bob", "done"]]),
        ([["city", "lines"], ["Graz", "6"]], [["Linz", "4"], ["Wels", "2"]]),
        ([["city", "lines"], ["Graz", "6"], ["Linz", "4"]], [["Total", "10"]]),
        ([["name", "state"], ["Ann", "open"]], [["Bob", "open"], ["Cy", "done"]]),
    ],
    ids=["numbers", "two blank rows", "texts", "more rows", "the sum", "the same words"],
)
def test_a_blank_row_does_not_cut_the_head_from_its_rows(above, below):
    found = texts([*above, [], *below])
    head = f"| {' | '.join(above[0])} |"
    assert [table[0] for table in found] == [head] * len(found)
    assert sum(len(table) - 2 for table in found) == sum(1 for row in above[1:] + below if row)


@pytest.mark.parametrize(
    "below",
    [
        [["shop", "sales"], ["York", "31"]],
        [["city", "lines"], ["Wels", "2"]],
        [["shop", "2024", "2025"], ["York", "31", "33"]],
        [["shop", "2024"], ["York", "31"], ["Hull", "28"]],
    ],
    ids=["other names", "the same names", "more columns", "years"],
)
def test_another_table_below_a_blank_row_has_its_own_head(below):
    _, second = texts([["city", "lines"], ["Graz", "6"], ["Linz", "4"], [], *below])
    assert second[0] == f"| {' | '.join(below[0])} |"


def test_a_title_above_a_blank_row_is_the_caption_of_the_first_table_alone():
    rows = [["PROGRESS"], [], ["task", "state"], ["paint", "open"], [], ["Note"], [], ["shop", "sales"], ["York", "31"]]
    assert [lines[0] for lines in texts(rows)] == ["PROGRESS", "Note", "| shop | sales |"]


@pytest.mark.parametrize(
    "rows",
    [
        [["oil", "12 kg"], ["ink", "9 kg"], ["tar", "40 kg"]],
        [["INV-01", "Ann"], ["INV-02", "Bob"], ["INV-03", "Cy"]],
        [["oil", "$12.00"], ["ink", "n/a"], ["tar", "$(4,200.00)"]],
    ],
    ids=["units", "codes", "gaps that are said"],
)
def test_a_first_row_of_data_is_no_head(rows):
    [[head, *_]] = texts(rows)
    assert head == "|  |  |"
