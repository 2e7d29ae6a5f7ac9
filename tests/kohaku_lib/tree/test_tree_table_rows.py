"""Markdown tables become a caption, a head and rows that can be read alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.settings import TreeSettings
from kohaku_lib.tables import ParagraphPayload, SentencePayload
from kohaku_lib.tree.paragraph_leaves import paragraph_leaves
from kohaku_lib.tree.table_rows import table_lines, table_opening

POWER = "Table 1: Power.\n| Model | Watts | Year |\n| --- | --- | --- |\n| small | 45 | 2021 |\n| large | 260 | 2023 |"
INCOME = (
    "| (Dollars in millions) | 2022 | 2021 |\n| --- | --- | --- |\n| Revenues: |  |  |\n| Airplanes | $25,867 | $19,493 |\n"
    "| Services | 17,611 | 16,328 |\n| Costs: |  |  |\n| Airplanes | (28) | — |"
)


def texts(table):
    return [line.text for line in table_lines(table)]


def test_a_row_names_itself_and_its_columns_beside_the_caption():
    assert texts(POWER) == [
        "Table 1: Power.",
        "small — Watts: 45; Year: 2021",
        "large — Watts: 260; Year: 2023",
    ]


def test_the_span_of_a_row_is_its_markdown():
    assert [POWER[slice(*line.span)] for line in table_lines(POWER)] == [
        "Table 1: Power.",
        "| small | 45 | 2021 |",
        "| large | 260 | 2023 |",
    ]


def test_a_row_of_one_cell_heads_those_beneath_it():
    assert texts(INCOME) == [
        "Revenues, Airplanes — 2022: $25,867; 2021: $19,493",
        "Revenues, Services — 2022: 17,611; 2021: 16,328",
        "Costs, Airplanes — 2022: (28); 2021: —",
    ]


def test_the_heading_of_a_group_belongs_to_the_span_of_its_first_row():
    spans = [INCOME[slice(*line.span)] for line in table_lines(INCOME)]
    assert spans[0] == "| Revenues: |  |  |\n| Airplanes | $25,867 | $19,493 |"
    assert spans[1] == "| Services | 17,611 | 16,328 |"


def test_a_text_repeated_in_every_cell_heads_the_rows_beneath_it():
    assert texts("| a | b | c |\n| --- | --- | --- |\n| Old | Old | Old |\n| x | 1 | 2 |") == ["Old, x — b: 1; c: 2"]
    assert texts("| a | b | c |\n| --- | --- | --- |\n| 0 | 0 | 0 |\n| x | 1 | 2 |")[0] == "a: 0; b: 0; c: 0"


def test_a_group_without_rows_is_a_row_of_its_own():
    assert texts("| a | b |\n| --- | --- |\n| x | 1 |\n| Note on the data |  |") == ["x — b: 1", "Note on the data"]


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ("| 2021 | 45 |", "Year: 2021; kWh: 45"),
        ("|  | 45 |", "kWh: 45"),
        ("| total |  |", "total"),
        ("| a \\| b | 4<br>5 |", "a | b — kWh: 4 5"),
        ("| total | 45 | spare |", "total — kWh: 45; spare"),
        ("| total |", "total"),
    ],
)
def test_cells_are_paired_with_the_heads_above_them(row, expected):
    assert texts(f"| Year | kWh |\n|:---|---:|\n{row}") == [expected]


def test_columns_without_a_head_give_bare_values():
    assert texts("|  |  |\n| --- | --- |\n| Lead time | 4 weeks |") == ["Lead time — 4 weeks"]


def test_a_table_of_nothing_but_a_head_is_that_head():
    assert texts("| Model | Watts |\n| --- | --- |") == ["Model; Watts"]


@pytest.mark.parametrize(
    "text", ["", "Running text.", "GPT-3 1,287 552\nGopher 1,066 380", "a | b\nno rule", "---\n| a |"]
)
def test_text_that_is_no_markdown_table_has_no_rows(text):
    assert (table_lines(text), table_opening(text)) == ([], "")


def test_the_opening_ends_with_the_line_of_dashes():
    assert table_opening(POWER) == "Table 1: Power.\n| Model | Watts | Year |\n| --- | --- | --- |"


def test_the_metadata_of_a_payload_row_is_that_of_the_row():
    rows = (
        SentencePayload("| small | 45 | 2021 |", {"page": 3}),
        SentencePayload("| large | 260 | 2023 |", {"page": 4, "bbox": [1, 2, 3, 4]}),
    )
    leaves = paragraph_leaves(ParagraphPayload(POWER, rows, {"modality": "table"}), "d", {}, TreeSettings())
    assert [dict(sentence.metadata) for sentence in leaves.sentences] == [{}, rows[0].metadata, rows[1].metadata]


def test_a_table_in_running_text_keeps_its_lines():
    paragraph = ParagraphPayload("GPT-3 1,287 552\nGopher 1,066 380", None, {"attachment_type": "table"})
    leaves = paragraph_leaves(paragraph, "d", {}, TreeSettings())
    assert [sentence.text for sentence in leaves.sentences] == ["GPT-3 1,287 552", "Gopher 1,066 380"]


def test_of_two_headings_that_follow_each_other_none_is_lost():
    table = "| a | b | c |\n| --- | --- | --- |\n| | | plants |\n| | | trees |\n| oak | 1 | 0 |"
    assert [line.text for line in table_lines(table)] == ["c: plants", "trees, oak — b: 1; c: 0"]


CELL = st.text(st.characters(codec="ascii", categories=("L", "N", "P", "Zs"), exclude_characters="|\\<>"), max_size=12)


@given(st.lists(st.lists(CELL, min_size=3, max_size=3), min_size=1, max_size=6))
def test_spans_are_in_order_and_every_filled_cell_is_said(grid):
    text = "\n".join(["| a | b | c |", "| --- | --- | --- |", *("| " + " | ".join(row) + " |" for row in grid)])
    lines = table_lines(text)
    edges = [edge for line in lines for edge in line.span]
    assert edges == sorted(edges)
    said = " ".join(" ".join(line.text for line in lines).split())
    for cell in (" ".join(cell.split()).rstrip(":") for row in grid for cell in row):
        assert cell in said
