"""The scores of a cell as rows, and the runs read back from them."""

import pyarrow as pa
import pytest

from kohaku_lib.evaluation.sweeps.cells import SweepCell
from kohaku_lib.evaluation.sweeps.scores import cell_runs, cell_scores
from kohaku_lib.tables import RETRIEVAL_SCORES, SCORES

CELL = SweepCell("mine", "score", "4", ())


def scores(*rows):
    names = ("member", "metric", "id", "value", "ref", "na", "score")
    return pa.Table.from_pylist([dict(zip(names, row, strict=True)) for row in rows], schema=SCORES)


RETRIEVAL = pa.Table.from_pylist([{"id": "q1", "metric": "mrr", "value": 0.5}], schema=RETRIEVAL_SCORES)
TABLE = scores(
    ("ensemble", "wattbot", "q1", 1.0, 1.0, 1.0, 1.0),
    ("b", "wattbot", "q1", 0.0, 0.5, 1.0, 0.175),
    ("a", "wattbot", "q1", 1.0, 0.0, 1.0, 0.85),
    ("a", "wattbot", "q2", 1.0, 0.0, 1.0, 0.85),
)


def test_every_run_is_a_run_of_the_cell_in_the_order_of_the_table():
    runs = cell_runs(cell_scores(CELL, TABLE, RETRIEVAL, "runs"), "wattbot")
    assert [(run.line, run.x, run.run, run.scores) for run in runs] == [
        ("score", "4", 0, {"q1": 0.175}),
        ("score", "4", 1, {"q1": 0.85, "q2": 0.85}),
    ]


def test_the_ensemble_is_one_run():
    runs = cell_runs(cell_scores(CELL, TABLE, RETRIEVAL, "ensemble"), "wattbot")
    assert [(run.run, run.scores) for run in runs] == [(0, {"q1": 1.0})]


@pytest.mark.parametrize(
    ("metric", "values"), [("wattbot/value", [0.0, 1.0]), ("wattbot/ref", [0.5, 0.0]), ("mrr", [0.5])]
)
def test_parts_and_retrieval_are_metrics_of_their_own(metric, values):
    runs = cell_runs(cell_scores(CELL, TABLE, RETRIEVAL, "runs"), metric)
    assert [run.scores["q1"] for run in runs] == values


def test_runs_are_restricted_to_questions_and_a_run_without_any_is_left_out():
    table = cell_scores(CELL, TABLE, RETRIEVAL, "runs")
    assert [run.scores for run in cell_runs(table, "wattbot", ["q2"])] == [{"q2": 0.85}]
    assert cell_runs(table, "wattbot", []) == []
    assert cell_runs(table, "no such metric") == []


def test_an_unfinished_cell_has_no_rows():
    assert cell_scores(CELL, scores(), RETRIEVAL.slice(0, 0), "runs").num_rows == 0
