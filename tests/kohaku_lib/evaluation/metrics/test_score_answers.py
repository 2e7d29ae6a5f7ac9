"""Scores of the ensemble and of every run, as a table."""

import json

import pyarrow as pa
import pytest

from kohaku_lib.evaluation import score_answers
from kohaku_lib.tables import ENSEMBLE_VOTES, PREDICTIONS, QUESTIONS, SCORES, empty_table

TRUTH = {"q1": ("7", "['a']"), "q2": ("is_blank", "is_blank"), "q3": ("[80,90]", "['a','b']")}


def questions(truth=TRUTH, extra=("q9",)):
    labelled = [
        {
            "id": name,
            "question": "?",
            "answer_unit": None,
            "has_truth": True,
            "row_json": json.dumps({"id": name, "question": "?", "answer_value": value, "ref_id": refs}),
        }
        for name, (value, refs) in truth.items()
    ]
    open_ones = [
        {"id": name, "question": "?", "has_truth": False, "row_json": json.dumps({"id": name, "question": "?"})}
        for name in extra
    ]
    return pa.Table.from_pylist([*labelled, *open_ones], schema=QUESTIONS)


def votes(**values):
    cells = dict.fromkeys(("question", "answer", "answer_unit", "supporting_materials", "explanation"), "x")
    rows = [
        {
            "id": name,
            "answer_value": value,
            "ref_id": refs,
            "ref_url": [],
            "agreement": 1.0,
            "votes_json": "[]",
            **cells,
        }
        for name, (value, refs) in values.items()
    ]
    return pa.Table.from_pylist(rows, schema=ENSEMBLE_VOTES)


def predictions(runs):
    cells = dict.fromkeys(("question", "answer", "answer_unit", "supporting_materials", "explanation"), "x")
    rows = [
        {
            "run": run,
            "run_label": label,
            "id": name,
            "answer_value": value,
            "ref_id": refs,
            "ref_url": [],
            "citations": [],
            "attempts": 1,
            "dropped_refs": 0,
            "trace_json": "{}",
            **cells,
        }
        for run, label, answers in runs
        for name, (value, refs) in answers.items()
    ]
    return pa.Table.from_pylist(rows, schema=PREDICTIONS)


GOOD = {"q1": ("7", ["a"]), "q2": ("is_blank", []), "q3": ("[80,90]", ["b", "a"])}
POOR = {"q1": ("8", ["a"]), "q2": ("1", ["a"]), "q3": ("85", ["a"]), "q9": ("5", ["a"])}


def test_ensemble_and_runs_are_scored_by_all_metrics_over_the_questions_with_truth():
    table, report = score_answers(questions(), votes(**GOOD), predictions([(0, "good", GOOD), (1, "poor", POOR)]))
    assert table.schema == SCORES
    assert table.num_rows == report.rows_computed == 3 * 3 * 3
    assert report.metrics["wattbot/ensemble/score"] == pytest.approx(1.0)
    assert report.metrics["wattbot/good/score"] == pytest.approx(1.0)
    # poor: values 0, 1 (truth blank), 1 (inside the range); refs 1, 0, 1/2; NA 1, 0, 1
    assert report.metrics["wattbot/poor/score"] == pytest.approx(0.75 * 2 / 3 + 0.15 * 0.5 + 0.10 * 2 / 3)
    assert report.metrics["kohaku/poor/value"] == 0.0
    assert report.metrics["fork/poor/na"] == 0.0
    assert report.metrics["wattbot/poor/score_low"] <= report.metrics["wattbot/poor/score"]
    assert report.problems == ()


def test_the_fork_leaves_answerable_rows_out_of_its_abstention():
    table, _ = score_answers(questions(), votes(**GOOD), empty_table(PREDICTIONS))
    by_key = {(row["metric"], row["id"]): row["na"] for row in table.to_pylist()}
    assert by_key["fork", "q1"] is None
    assert by_key["fork", "q2"] == by_key["wattbot", "q1"] == 1.0


def test_two_runs_of_one_label_are_kept_apart():
    table, _ = score_answers(questions(), votes(**GOOD), predictions([(0, "run", GOOD), (1, "run", POOR)]))
    assert set(table.column("member").to_pylist()) == {"ensemble", "run", "run#1"}


def test_without_truth_the_table_is_empty():
    table, report = score_answers(questions({}), votes(**GOOD), predictions([(0, "good", GOOD)]))
    assert (table.schema, table.num_rows, report.metrics) == (SCORES, 0, {})


def test_a_question_without_a_vote_is_reported():
    _, report = score_answers(questions(), votes(q1=GOOD["q1"]), empty_table(PREDICTIONS))
    assert report.problems == ("The question 'q2' has truth but no vote.", "The question 'q3' has truth but no vote.")
    assert report.metrics["wattbot/ensemble/n"] == 1.0
    assert report.metrics["kohaku/ensemble/n"] == 3.0
