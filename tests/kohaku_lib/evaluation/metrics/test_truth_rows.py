"""Rows of the truth: their cells as text, their quote, and the questions that have truth."""

import json

import pyarrow as pa
import pytest

from kohaku_lib.evaluation.metrics.evidence import evidence_recall, gold_quote
from kohaku_lib.evaluation.metrics.judgements import truth_cells
from kohaku_lib.evaluation.metrics.score_answers import truth_rows


def question(name, has_truth=True, **cells):
    return {"id": name, "has_truth": has_truth, "row_json": json.dumps(cells)}


@pytest.mark.parametrize(
    ("cell", "text"), [("x", "x"), (7, "7"), (0.5, "0.5"), (None, ""), ("", ""), (0, ""), ("Zoë", "Zoë")]
)
def test_cells_are_texts_and_missing_values_are_empty(cell, text):
    assert truth_cells(question("q", answer_value=cell)) == {"answer_value": text}


def test_rows_with_truth_have_the_id_of_the_question_and_every_column_that_is_scored():
    table = pa.Table.from_pylist([question("q1", id=" q1 ", answer_value="4"), question("q2", has_truth=False)])
    assert truth_rows(table) == [{"id": "q1", "answer_value": "4", "ref_id": ""}]


@pytest.mark.parametrize(
    ("row", "quote"),
    [
        ({"Quote": "1", "supporting_materials": "It is."}, "It is."),
        ({"explanation": "quote, Table 2"}, ""),
        ({"supporting_materials": "It is."}, None),
    ],
)
def test_only_supporting_material_that_is_quoted_is_a_quote(row, quote):
    assert gold_quote(row) == quote


def test_without_a_budget_all_texts_count():
    texts = ["x " * 5000, "one two three", "four five six"]
    assert evidence_recall("one two three four five six", texts) == 1.0
    assert evidence_recall("one two three four five six", texts, 10_000) == 0.0
    assert evidence_recall("...", texts) is None
