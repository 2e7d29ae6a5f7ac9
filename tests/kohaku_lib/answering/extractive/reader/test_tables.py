"""Tables of a text in Markdown."""

from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.answering.extractive.reader.tables import Table, blocks_of, linearised


def test_the_line_above_a_table_is_its_caption_and_stays_in_the_text_before_it():
    before, table, after = blocks_of("Trams of 2024\n| City | Trams |\n| --- | --- |\n| Graz | 6 |\nThat was all.")
    assert (before, after) == ("Trams of 2024", "That was all.")
    assert table.caption == "Trams of 2024"
    assert [row.line for row in table.rows] == ["| Graz | 6 |"]


def test_a_second_header_row_is_joined_to_the_first():
    lines = [
        "| Region | 2024 |  | 2025 |  |",
        "| --- | --- | --- | --- | --- |",
        "|  | Orders | Revenue (GBP) | Orders | Revenue (GBP) |",
        "| North | 412 | 30870 | 455 | 36210 |",
    ]
    [table] = blocks_of("\n".join(lines))
    assert table.columns == ("Region", "2024 Orders", "2024 Revenue (GBP)", "2025 Orders", "2025 Revenue (GBP)")
    assert len(table.rows) == 1


def test_a_first_row_with_an_empty_key_and_amounts_is_no_header():
    [table] = blocks_of("| Month | Sold |\n| --- | --- |\n|  | 12 |\n| May | 9 |")
    assert [row.cells for row in table.rows] == [("", "12"), ("May", "9")]


def test_text_without_bars_is_one_block_and_a_blank_one_none():
    assert blocks_of("One.\nTwo | three.") == ["One.\nTwo | three."]
    assert blocks_of(" \n ") == []
    assert len(blocks_of("Server room        Ivo Brandl\nNothing else.")) == 1


CELLS = st.lists(st.text(alphabet="ab1 ", max_size=4).map(str.strip), min_size=1, max_size=5)


@given(CELLS, st.data())
def test_the_offsets_of_a_linearised_row_give_back_its_cells(columns, data):
    cells = data.draw(st.lists(st.text(alphabet="xy9;: ", max_size=4), min_size=len(columns), max_size=len(columns)))
    text, spans = linearised(columns, cells)
    assert [text[start:end] for start, end in spans] == cells


@given(st.lists(st.sampled_from(["| a | b |", "| --- | --- |", "prose", "", "| 1 | 2 |"]), max_size=8))
def test_no_line_is_lost(lines):
    kept = []
    for block in blocks_of("\n".join(lines)):
        kept += [row.line for row in block.rows] if isinstance(block, Table) else block.split("\n")
    assert set(kept) >= {line for line in lines if line == "prose"}


def test_lines_of_two_columns_that_blanks_keep_apart_are_a_table_without_names():
    text = "Key holders\nServer room        Ivo Brandl\nPost room          Nils Ferrand\n\nLost keys are reported."
    before, table, behind = blocks_of(text)
    assert (before, behind) == ("Key holders", "\nLost keys are reported.")
    assert (table.caption, table.columns) == ("Key holders", ("", ""))
    assert [row.cells for row in table.rows] == [("Server room", "Ivo Brandl"), ("Post room", "Nils Ferrand")]
