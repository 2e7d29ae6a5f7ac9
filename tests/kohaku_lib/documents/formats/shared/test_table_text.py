"""Cells become Markdown tables: spans, header rows, escapes, and bounds on their size."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.documents.formats.office.spreadsheet_tables import MOST_ROWS, sheet_paragraphs
from kohaku_lib.documents.formats.shared.table_text import GridCell, expand_spans, markdown_table, table_paragraph

WORDS = st.text(st.sampled_from("ab1 |\n\\é"), max_size=6)
GRIDS = st.integers(1, 4).flatmap(lambda width: st.lists(st.lists(WORDS, min_size=width, max_size=width), max_size=5))


def plain(text):
    return " ".join(text.split())


def cells_of(line):
    return [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]]


def test_a_cell_over_rows_and_columns_is_repeated_in_each_position():
    rows = [[GridCell("a", 2, 2), GridCell("b")], [GridCell("c")], [GridCell("d"), GridCell("e", columns=2)]]
    assert expand_spans(rows) == [["a", "a", "b"], ["a", "a", "c"], ["d", "e", "e"]]


def test_spans_below_one_or_beyond_the_last_row_are_limited():
    assert expand_spans([[GridCell("a", 0, -3), GridCell("b", 9)], [GridCell("c")]]) == [["a", "b"], ["c", "b"]]


def test_short_rows_are_filled_up():
    assert expand_spans([[GridCell("a")], [GridCell("b"), GridCell("c")], []]) == [["a", ""], ["b", "c"], ["", ""]]
    assert expand_spans([]) == []


def test_a_title_over_more_columns_than_there_are_is_narrowed_to_them():
    wide = [[GridCell("Title", columns=1000)] for _ in range(100)]
    grid = expand_spans([*wide, [GridCell("a"), GridCell("b")]])
    assert grid[0] == ["Title", "Title"]
    assert grid[-1] == ["a", "b"]


def test_spans_beyond_all_bounds_leave_one_cell_per_row():
    rows = [[GridCell("a", columns=1000), GridCell("b", columns=1000)] for _ in range(100)]
    assert expand_spans(rows) == [["a b"]] * 100


@given(GRIDS)
def test_a_grid_without_spans_is_itself(grid):
    width = max(map(len, grid), default=0)
    assert expand_spans([[GridCell(text) for text in row] for row in grid]) == [
        [*row, *[""] * (width - len(row))] for row in grid
    ]


@given(GRIDS)
def test_every_cell_of_a_table_can_be_read_back(grid):
    table = markdown_table(grid)
    rows = [[plain(text) for text in row] for row in grid]
    columns = [column for column in range(len(rows[0]) if rows else 0) if any(row[column] for row in rows)]
    if not columns:
        assert table == ""
        return
    head, rule, *body = table.split("\n")
    backslash = any("\\" in text for row in rows for text in row)  # before a bar it would look like an escape
    if not backslash:
        assert cells_of(head) == [rows[0][column] for column in columns]
        assert [cells_of(line) for line in body] == [
            [row[column] for column in columns] for row in rows[1:] if any(row)
        ]
    assert rule == "| " + " | ".join(["---"] * len(columns)) + " |"


def test_header_rows_are_merged_without_repeating_a_text():
    grid = [["Model", "Energy", "Energy"], ["Model", "2022", "2022"], ["a", "1", "2"]]
    assert markdown_table(grid, 2).split("\n")[0] == "| Model | Energy 2022 | Energy 2022 |"
    assert markdown_table(grid, 0).split("\n")[0] == "| Model | Energy | Energy |"


def test_a_table_paragraph_has_its_caption_above_and_in_its_metadata():
    paragraph = table_paragraph([["a"], ["1"]], caption=" Two\n numbers ", metadata={"page": 3})
    assert paragraph.text == "Two numbers\n| a |\n| --- |\n| 1 |"
    assert paragraph.metadata == {
        "page": 3,
        "modality": "table",
        "attachment_type": "table",
        "table_caption": "Two numbers",
    }
    assert "table_caption" not in table_paragraph([["a"]]).metadata
    assert table_paragraph([["", " "]], caption="Empty") is None


# Sheets


def sheet(rows):
    return [
        (paragraph.text, dict(paragraph.metadata))
        for paragraph in sheet_paragraphs(enumerate(rows, start=1), {"sheet": "S"})
    ]


def test_rows_of_one_cell_between_blank_rows_are_text():
    assert sheet([["one"], ["two"], [], ["", "three"], []]) == [
        ("one\ntwo", {"sheet": "S"}),
        ("three", {"sheet": "S"}),
    ]


def test_only_the_row_directly_above_a_table_is_its_caption():
    found = sheet([["note"], ["caption"], ["a", "b"], ["1", "2"]])
    assert found[0] == ("note", {"sheet": "S"})
    assert found[1][1]["table_caption"] == "caption"
    assert "table_caption" not in sheet([["note"], ["more"], [], ["a", "b"], ["1", "2"]])[1][1]


def test_a_long_block_is_split_with_the_header_and_the_number_of_its_first_row():
    rows = [["n", "value"], *([str(number), "x"] for number in range(2, 2 * MOST_ROWS + 3))]
    found = sheet(rows)
    assert [metadata["first_row"] for _, metadata in found] == [2, 2 + MOST_ROWS, 2 + 2 * MOST_ROWS]
    assert [text.split("\n")[0] for text, _ in found] == ["| n | value |"] * 3
    assert [len(text.split("\n")) - 2 for text, _ in found] == [MOST_ROWS, MOST_ROWS, 1]


@given(st.lists(st.lists(st.text("ab", max_size=2), max_size=3), max_size=12))
def test_no_cell_of_a_sheet_is_lost(rows):
    written = " ".join(text for text, _ in sheet(rows))
    for row in rows:
        assert all(cell in written for cell in row)


def test_a_sheet_without_text_has_no_paragraphs():
    assert sheet([]) == []
    assert sheet([[], ["", " "], []]) == []


@pytest.mark.parametrize("blank", [[], [""], [" ", "\t"]])
def test_a_row_of_blank_cells_ends_a_block(blank):
    found = sheet([["a", "b"], ["1", "2"], blank, ["c", "d"]])
    assert [text.split("\n")[0] for text, _ in found] == ["| a | b |", "| c | d |"]
