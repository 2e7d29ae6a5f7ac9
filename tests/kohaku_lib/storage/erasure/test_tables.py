"""Rows of CSV files that hold an erased document."""

import csv

from kohaku_lib.storage.csv_cells import cells_of_any_length
from kohaku_lib.storage.erasure.tables import erase_csv_rows
from kohaku_lib.storage.erasure.traces import Traces


def test_rows_behind_the_header_that_hold_the_document_go_whatever_the_others_hold(tmp_path):
    path = tmp_path / "answers.csv"
    others = ["q2", 'Said: "yes",\nand left.' + "x" * 200_000]
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([["ferry", "answer"], ["q1", "ferry"], others])
    assert erase_csv_rows(path, Traces(frozenset({"ferry"}), [], [])) == 1
    with path.open(newline="") as file, cells_of_any_length():
        assert list(csv.reader(file)) == [["ferry", "answer"], others]
    assert erase_csv_rows(path, Traces(frozenset({"ferry"}), [], [])) == 0
