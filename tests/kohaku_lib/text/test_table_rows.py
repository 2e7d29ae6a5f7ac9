"""Rows of Markdown tables are read as they were written, bars in cells included."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.answering.extractive.reader.passages import passages_of
from kohaku_lib.answering.extractive.reader.tables import blocks_of
from kohaku_lib.tables import Snippet
from kohaku_lib.text.table_rows import is_rule, markdown_row, markdown_rows, row_cells, without_bars


def test_rows_are_markdown_with_bars_escaped_and_line_breaks_as_spaces():
    assert markdown_row(["a\nb", "c|d", ""]) == "| a b | c\\|d |  |"
    assert markdown_rows([["h"], ["1"]]) == "| h |\n| --- |\n| 1 |"


@given(st.lists(st.text(alphabet="a1|- \n", max_size=5), min_size=1, max_size=4))
def test_a_row_is_read_as_it_was_written(cells):
    assert row_cells(markdown_row(cells)) == [" ".join(cell.split()) for cell in cells]


@pytest.mark.parametrize(
    ("line", "cells"),
    [
        ("| a | 4 |", ["a", "4"]),
        ("a | 4", ["a", "4"]),
        ("| a |  |", ["a", ""]),
        ("| a | b \\|", ["a", "b |"]),
        ("|", [""]),
    ],
)
def test_outer_bars_may_be_left_out_and_an_escaped_bar_is_none(line, cells):
    assert row_cells(line) == cells


@pytest.mark.parametrize("line", ["---", "| |", "| --- | 4 |", "| --- | |", "||---|"])
def test_a_rule_has_a_bar_and_dashes_in_every_cell(line):
    assert is_rule("|:-|---|")
    assert not is_rule(line)


def test_a_rule_of_single_dashes_is_not_shown():
    assert without_bars("| a | b |\n|-|-|\n| 1 | 2 |\n| | |") == "a | b\n1 | 2"


def test_the_reader_gives_cells_without_the_marks_of_escaped_bars():
    [table] = blocks_of("| Option | Sign |\n| --- | --- |\n| pipe | a \\| b |\n| pair | x \\|")
    assert [row.cells for row in table.rows] == [("pipe", "a | b"), ("pair", "x |")]


def test_an_escaped_bar_moves_no_cell_to_another_column():
    table = "| Model | Electricity (kWh) | Duration (hours) |\n| --- | --- | --- |\n| Rho \\| L | 6,600 | 310 |"
    [passage] = passages_of([Snippet("d:1", "d", "A report", 1, table, 1, 1.0)])
    assert [(cell.column, cell.text) for cell in passage.lines[0].cells][1:] == [
        ("Electricity (kWh)", "6,600"),
        ("Duration (hours)", "310"),
    ]
