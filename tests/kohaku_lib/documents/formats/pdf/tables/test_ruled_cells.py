"""The cells of a ruled grid: merged cells, titles, header rows, and rows that no rule separates."""

import pytest

from kohaku_lib.documents.formats.pdf.tables.ruled_cells import grid_table
from kohaku_lib.documents.formats.pdf.text.page_text import Box

XS = (0.0, 100.0, 200.0, 300.0, 400.0)


def words(rows, xs=XS):
    """Return PyMuPDF's words of a grid with rows 20 points high: (row, column, text), all in the middle of the cell."""
    return [
        (xs[column] + 10, 20 * row + 5, xs[column] + 10 + min(5 * len(text), 80), 20 * row + 15, text, number, 0, 0)
        for number, (row, column, text) in enumerate(rows)
    ]


def cells(texts):
    return [(row, column, text) for row, line in enumerate(texts) for column, text in enumerate(line) if text]


def table(texts, missing_beside=(), missing_beneath=()):
    ys = [20.0 * row for row in range(len(texts) + 1)]
    return grid_table(
        XS[: len(texts[0]) + 1],
        ys,
        words(cells(texts)),
        lambda row, column: (row, column) not in missing_beside,
        lambda row, column: (row, column) not in missing_beneath,
    )


def test_every_cell_has_its_words_and_every_row_its_box():
    found = table([["Model", "Year", "kWh"], ["small", "2021", "45"], ["large", "2022", "90"]])
    assert found.rows == (("Model", "Year", "kWh"), ("small", "2021", "45"), ("large", "2022", "90"))
    assert found.box == Box(0, 0, 300, 60)
    assert found.row_boxes == (Box(0, 0, 300, 20), Box(0, 20, 300, 40), Box(0, 40, 300, 60))
    assert found.title == ""


def test_a_first_row_over_all_columns_is_the_title():
    texts = [["Energy use", "", ""], ["Model", "Year", "kWh"], ["small", "2021", "45"]]
    found = table(texts, missing_beside=[(0, 0), (0, 1)])
    assert found.title == "Energy use"
    assert found.rows == (("Model", "Year", "kWh"), ("small", "2021", "45"))


def test_a_header_over_two_columns_is_repeated_and_merged_with_those_below():
    texts = [["Model", "Energy", ""], ["", "2021", "2022"], ["small", "45.5", "50.5"], ["large", "90.5", "95.5"]]
    found = table(texts, missing_beside=[(0, 1)], missing_beneath=[(0, 0)])
    assert found.rows[0] == ("Model", "Energy 2021", "Energy 2022")
    assert found.rows[1:] == (("small", "45.5", "50.5"), ("large", "90.5", "95.5"))


def test_a_cell_merged_over_rows_is_repeated_in_each():
    texts = [["Site", "Year", "kWh"], ["North", "2021", "45"], ["", "2022", "90"]]
    found = table(texts, missing_beneath=[(1, 0)])
    assert found.rows[1:] == (("North", "2021", "45"), ("North", "2022", "90"))


def test_a_missing_rule_between_filled_neighbours_does_not_merge_them():
    texts = [["Model", "Year", "kWh"], ["small", "2021", "45"], ["large", "2022", "90"]]
    assert table(texts, missing_beside=[(1, 0), (2, 0)]).rows[1:] == (("small", "2021", "45"), ("large", "2022", "90"))


def test_numbers_in_the_first_row_mean_that_there_is_no_header():
    found = table([["small", "12.5", "45.1"], ["large", "13.5", "90.2"]])
    assert found.rows == (("", "", ""), ("small", "12.5", "45.1"), ("large", "13.5", "90.2"))


def test_rows_without_rules_between_them_are_split_by_their_baselines():
    lines = [(10, "small", "45"), (30, "large", "90"), (50, "huge", "99")]
    body = [
        (x + 5, 20 + y, x + 5 + 5 * len(text), 30 + y, text, 10 + block, 0, 0)
        for y, name, amount in lines
        for block, (x, text) in enumerate([(0, name), (100, amount), (200, amount)])
    ]
    head = words(cells([["Model", "kWh", "MWh"]]))
    unique = [(*word[:5], number, 0, 0) for number, word in enumerate([*head, *body])]
    found = grid_table(XS[:4], (0.0, 20.0, 90.0), unique, lambda *_: True, lambda *_: True)
    assert found.rows == (("Model", "kWh", "MWh"), ("small", "45", "45"), ("large", "90", "90"), ("huge", "99", "99"))
    assert [box.y0 for box in found.row_boxes] == [0, 20, 54, 74]


def test_empty_rows_and_columns_are_dropped():
    found = table([["Model", "", "kWh"], ["", "", ""], ["small", "", "45"]])
    assert found.rows == (("Model", "kWh"), ("small", "45"))


@pytest.mark.parametrize(
    "texts",
    [
        [["12", "13", "14"], ["1", "2", "3"]],  # no letter: totals between rules
        [["A", "", "", ""], ["", "B", "", ""], ["", "", "C", ""], ["", "", "", "45"]],  # nearly empty
        [["A", "B", "C"], ["word " * 400, "x", "y"]],  # prose in a frame
    ],
)
def test_grids_that_hold_no_table_are_left_out(texts):
    assert table(texts) is None


def test_leader_dots_are_no_text():
    assert table([["Item", "Page", "kWh"], ["Fuel ......", "7", "45"]]).rows[1][0] == "Fuel"
