"""Which rows of a sheet name its columns."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.documents.formats.office.sheet_heads import head_rows, joined_heads
from kohaku_lib.documents.formats.office.spreadsheet_tables import sheet_paragraphs


@pytest.mark.parametrize(
    "rows",
    [
        [["pump", "2021-03-04"], ["fan", "2021-05-01"], ["belt", "2022-01-09"]],
        [["ann@x.org", "Stock"], ["bob@x.org", "Sales"], ["cy@x.org", "Sales"]],
        [["07:10", "Market"], ["07:25", "Mill"], ["07:40", "Harbour"]],
        [["pump", "£12.50", "3"], ["fan", "£8.00", "14"], ["belt", "£3.10", "2"]],
        [["merger", "2019"], ["sale", "2021"], ["move", "2024"]],
    ],
    ids=["dates", "addresses", "times", "prices", "years"],
)
def test_a_first_row_of_the_kind_of_those_below_is_no_header(rows):
    assert head_rows(rows) == 0


@pytest.mark.parametrize(
    "rows",
    [
        [["item", "2023", "2024"], ["rent", "1,200", "1,260"], ["power", "310", "295"]],
        [["shop", "2021", "2022"], ["York", "1950", "2010"], ["Hull", "1990", "2040"]],
        [["size", "10", "20", "50"], ["paper", "3", "5", "11"], ["card", "4", "7", "15"]],
        [["name", "team"], ["Ann", "Stock"], ["Bob", "Sales"]],
        [["", "price"], ["pump", "12"], ["fan", "8"]],
        [["Ann", "12"], ["Bob", "15"]],
        [["item", ""], ["pump", "12"], ["fan", "8"]],
    ],
    ids=[
        "years",
        "years over numbers like years",
        "growing numbers",
        "words alone",
        "a corner",
        "one row below",
        "a column without a name",
    ],
)
def test_a_first_row_names_the_columns_where_nothing_speaks_clearly_against_it(rows):
    assert head_rows(rows) == 1


def test_a_second_row_of_names_belongs_to_the_header_only_above_numbers():
    groups, names = ["Branch", "2023", "", "2024", ""], ["", "Orders", "Returns", "Orders", "Returns"]
    assert head_rows([groups, names, ["York", "310", "4", "352", "9"]]) == 2
    assert head_rows([groups, names, ["York", "many", "few", "many", "few"]]) == 1
    assert (
        head_rows([["Branch", "2023", "", "2024", ""], ["York", "310", "4", "352", "9"], ["Hull", "8", "", "9", ""]])
        == 1
    )


def test_a_group_over_a_name_like_its_own_is_said_once():
    assert joined_heads(["Branch", "Orders", "", "Total"], ["", "Orders", "lost", ""]) == [
        "Branch",
        "Orders",
        "Orders lost",
        "Total",
    ]


def test_a_sheet_without_names_of_columns_keeps_its_first_row_as_data():
    [paragraph] = sheet_paragraphs(enumerate([["Ann", "4510"], ["Bob", "4512"], ["Cleo", "4519"]], start=1), {})
    assert paragraph.text.split("\n") == [
        "|  |  |",
        "| --- | --- |",
        "| Ann | 4510 |",
        "| Bob | 4512 |",
        "| Cleo | 4519 |",
    ]
    assert paragraph.metadata["first_row"] == 1


def test_rows_below_a_header_of_two_rows_are_numbered_from_the_third():
    rows = [["", "2023", "2024"], ["Branch", "Orders", "Orders"], ["York", "310", "4"], ["Hull", "280", "7"]]
    [paragraph] = sheet_paragraphs(enumerate(rows, start=1), {})
    assert paragraph.text.split("\n")[0] == "| Branch | 2023 Orders | 2024 Orders |"
    assert paragraph.metadata["first_row"] == 3


CELLS = st.sampled_from(["", "Ann", "12", "2024", "£3.50", "2024-01-02", "a@b.org"])


@given(st.lists(st.lists(CELLS, min_size=2, max_size=4), min_size=1, max_size=6))
def test_no_cell_of_a_block_is_lost(rows):
    found = "\n".join(paragraph.text for paragraph in sheet_paragraphs(enumerate(rows, start=1), {}))
    assert 0 <= head_rows(rows) <= 2
    assert all(cell in found for row in rows for cell in row)
