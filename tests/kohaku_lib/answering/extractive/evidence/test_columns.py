"""Plain rows of tables: their cells, and the words of the header over each."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.answering.extractive.answerer import ExtractiveAnswerer
from kohaku_lib.answering.extractive.evidence.columns import cells_of, header_columns
from kohaku_lib.answering.extractive.evidence.lines import header_of, is_caption
from kohaku_lib.tables import Question, Snippet

TRACES = """Table 4: Traces that were replayed.
Trace Requests Mean ± Std Median Power (W)
Harbour-Day 1931 2511.28 ± 2133.54 1930 76.5
Harbour-Night 8819 2047.8 ± 27.9 1820 68.0"""
YEARS = """Harbour report
Category 2019 2020 2021 2022 YoY%
Emissions by Source (kt CO2e)
Boats 51.17 60.64 71.54 70.74 -3%
Cranes 5.50 5.27 4.07 3.14 -11%"""


def _texts(line, spans):
    return [line[start:end] for start, end in spans]


@pytest.mark.parametrize(
    ("row", "cells"),
    [
        ("Boats 51.17 60.64 -3%", ["51.17", "60.64", "-3%"]),
        ("Llama 3.1 8B 1 5.86 <0.01", ["1", "5.86", "<0.01"]),
        ("NAS — 274,120 $942,973–$3,201,722", ["—", "274,120", "$942,973–$3,201,722"]),
        ("LLaMA-33B 64.7 GB 60 6656 1", ["64.7 GB", "60", "6656", "1"]),
        ("Altoona, IA 6.91 2.51(1.84, 3.17) 122% 1.52 (34000)", ["6.91", "2.51(1.84, 3.17)", "122%", "1.52 (34000)"]),
        ("T4 Spot 0.180 $/h 0.395 $/h", ["0.180 $/h", "0.395 $/h"]),
        ("It took 5 days in all.", []),
        ("", []),
    ],
)
def test_the_cells_end_the_row(row, cells):
    assert _texts(row, cells_of(row)) == cells


@pytest.mark.parametrize(
    ("header", "count", "columns"),
    [
        ("Model Layers Heads", 2, ["Layers", "Heads"]),
        ("Trace Requests lp lg", 3, ["Requests", "lp", "lg"]),
        ("Category 2019 2020 YoY%", 3, ["2019", "2020", "YoY%"]),
        ("Type L4 A10G (PCIe) A100-80G (SXM) H100 (SXM)", 4, ["L4", "A10G (PCIe)", "A100-80G (SXM)", "H100 (SXM)"]),
        ("Model Hardware Power (W) Hours kWh CO2e", 4, ["Power (W)", "Hours", "kWh", "CO2e"]),
        ("Model Number of layers Rate of error", 2, ["Number of layers", "Rate of error"]),
        ("Hours", 2, []),
        ("", 1, []),
        ("Hours", 0, []),
    ],
)
def test_the_header_is_parted_where_that_breaks_least(header, count, columns):
    assert _texts(header, header_columns(header, count, labelled=True)) == columns


def test_as_many_words_as_cells_leave_no_label():
    assert _texts("Hours Cost", header_columns("Hours Cost", 2, labelled=True)) == ["Hours", "Cost"]


@given(st.lists(st.text("abAB12(%", min_size=1, max_size=6), max_size=12), st.integers(1, 6), st.booleans())
def test_columns_follow_each_other_and_end_the_header(words, count, labelled):
    header = " ".join(words)
    columns = header_columns(header, count, labelled=labelled)
    assert len(columns) in {0, count}
    assert all(start < end for start, end in columns)
    assert all(one[1] < other[0] for one, other in pairwise(columns))
    assert not columns or columns[-1][1] == len(header)


@given(st.text("ab 12.,-–$%()", max_size=40))
def test_cells_lie_in_the_row_in_order(row):
    spans = cells_of(row)
    assert all(0 <= start < end <= len(row) for start, end in spans)
    assert list(spans) == sorted(spans)


@pytest.mark.parametrize(
    ("question", "unit", "text", "value"),
    [
        ("What is the median length of the Harbour-Day trace?", "tokens", TRACES, "1930"),
        ("What power did the Harbour-Night trace draw?", "W", TRACES, "68"),
        ("How large were the emissions of boats in 2021?", "kt CO2e", YEARS, "71.54"),
        ("How large were the emissions of cranes in 2019?", "kt CO2e", YEARS, "5.5"),
    ],
)
def test_the_cell_below_the_asked_column_is_the_answer(question, unit, text, value):
    answer = ExtractiveAnswerer().answer(
        Question("q", question, unit), [Snippet("d:1", "d", "Report", 1, text, 1, 1.0)]
    )
    assert answer.answer_value == value
    assert answer.quote in text


def test_a_line_of_years_heads_the_rows_below_it():
    assert header_of(YEARS.split("\n"), 3).split("\n")[1] == "Category 2019 2020 2021 2022 YoY%"


@pytest.mark.parametrize(("line", "expected"), [("Figure 2 Costs", True), ("All runs.", True), ("Trace Hours", False)])
def test_a_caption_names_no_columns(line, expected):
    assert is_caption(line) is expected
