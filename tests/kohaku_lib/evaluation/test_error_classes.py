"""Error classes of answers and the stage at which each was lost."""

import json

import pyarrow as pa
import pytest

from kohaku_lib.evaluation import report_errors
from kohaku_lib.evaluation.error_classes import ERROR_CLASSES, RIGHT, class_of, classify_value
from kohaku_lib.tables import ENSEMBLE_VOTES, ERROR_REPORT, QUESTIONS, RETRIEVED_CONTEXT, empty_table

QUOTE = "the training run used exactly 24 megawatt hours in 2020"


@pytest.mark.parametrize(
    ("truth", "answer", "category"),
    [
        ("5.4", "5.4", "ok"),
        ("is_blank", "", "ok"),
        ("is_blank", "n/a", "ok"),
        ("is_blank", "5", "false_positive"),
        ("5", "is_blank", "false_negative"),
        ("5439000", "5.439", "unit_conversion"),
        ("5439000", "5.6", "unit_conversion"),  # 3 % beside a power of ten
        ("5439000", "5.1", "value"),  # 6 % beside it
        ("100", "109", "rounding"),
        ("100", "111", "value"),
        ("100", "-100", "value"),
        ("0", "0.05", "rounding"),
        ("0", "5", "value"),
        ("5", "0", "value"),
        ("[80,90]", "[8000,9000]", "unit_conversion"),
        ("[80,90]", "[80,95]", "rounding"),
        ("[80,90]", "[80,120]", "value"),
        ("[80,90]", "100", "type"),
        ("5", "[5,6]", "type"),
        ("5", "five", "type"),
        ("GPT-3", "5", "type"),
        ("GPT-3", "GPT-4", "categorical"),
        ("GPT-3", "gpt-3", "ok"),
    ],
)
def test_values_fall_into_one_category(truth, answer, category):
    assert classify_value("What is it?", truth, answer)[0] == category


def test_a_wrong_claim_is_categorical():
    assert classify_value("True or False: it rains.", "1", "0")[0] == "categorical"


def question(name, value="24", refs="['a']", explanation="Quote"):
    row = {"id": name, "answer_value": value, "ref_id": refs, "supporting_materials": QUOTE, "explanation": explanation}
    return {"id": name, "question": f"What is {name}?", "has_truth": True, "row_json": json.dumps(row)}


def vote(name, value="24", refs=("a",)):
    cells = dict.fromkeys(("question", "answer", "answer_unit", "supporting_materials", "explanation"), "x")
    rest = {"ref_id": list(refs), "ref_url": [], "agreement": 1.0, "votes_json": "[]"}
    return {"id": name, "answer_value": value, **rest, **cells}


def context(name, matched=("a",), snippet=("a", QUOTE)):
    matches = [
        {"node_id": f"{document}:s1", "document_id": document, "kind": "sentence", "score": 1.0} for document in matched
    ]
    shown = {
        "node_id": "n",
        "document_id": snippet[0],
        "document_title": "A",
        "page": 1,
        "text": snippet[1],
        "rank": 1,
        "score": 1.0,
    }
    return {"id": name, "queries": ["?"], "matches": matches, "snippets": [shown], "trace_json": "{}"}


def report(questions, votes, contexts):
    table, stage = report_errors(
        pa.Table.from_pylist(questions, schema=QUESTIONS),
        pa.Table.from_pylist(votes, schema=ENSEMBLE_VOTES),
        pa.Table.from_pylist(contexts, schema=RETRIEVED_CONTEXT),
    )
    assert table.schema == ERROR_REPORT
    return {row["id"]: row for row in table.to_pylist()}, stage


@pytest.mark.parametrize(
    ("found", "lost_at"),
    [
        (context("q1"), "generation"),
        (context("q1", matched=("b",)), "retrieval"),
        (context("q1", matched=("b", "A"), snippet=("b", "other words")), "context"),
        (context("q1", snippet=("a", "other words of the same document")), "context"),
        (context("q1", snippet=("a", QUOTE[:38])), "context"),  # 2 of 6 shingles
        (context("q1", snippet=("a", QUOTE[:50])), "generation"),  # 5 of 6
    ],
)
def test_a_wrong_answer_is_lost_at_the_first_stage_that_lacks_its_evidence(found, lost_at):
    rows, _ = report([question("q1")], [vote("q1", "7")], [found])
    assert (rows["q1"]["category"], rows["q1"]["lost_at"]) == ("value", lost_at)


def test_without_a_quote_the_gold_document_in_the_context_is_enough():
    rows, _ = report([question("q1", explanation="Figure 3")], [vote("q1", "7")], [context("q1", snippet=("a", "x"))])
    assert rows["q1"]["lost_at"] == "generation"


def test_a_right_answer_is_lost_nowhere():
    rows, _ = report([question("q1")], [vote("q1")], [context("q1", matched=("b",))])
    assert (rows["q1"]["category"], rows["q1"]["lost_at"], rows["q1"]["detail"]) == ("ok", None, "")


def test_a_right_value_with_other_documents_is_a_reference_error():
    rows, _ = report([question("q1")], [vote("q1", refs=("a", "b"))], [context("q1")])
    assert (rows["q1"]["category"], rows["q1"]["truth_refs"], rows["q1"]["ref_id"]) == ("reference", ["a"], ["a", "b"])
    assert rows["q1"]["detail"] == "Cites ['a', 'b'] instead of ['a']."


def test_an_invented_answer_is_lost_in_generation():
    rows, _ = report([question("q1", "is_blank", "is_blank")], [vote("q1", "7")], [])
    assert (rows["q1"]["category"], rows["q1"]["lost_at"]) == ("false_positive", "generation")


def test_an_abstention_that_was_right_is_ok():
    rows, _ = report([question("q1", "is_blank", "is_blank")], [vote("q1", "is_blank", ())], [])
    assert rows["q1"]["category"] == "ok"


def test_a_question_without_vote_or_context_is_missing_and_lost_in_retrieval():
    rows, stage = report([question("q1"), question("q2")], [vote("q2")], [])
    assert (rows["q1"]["category"], rows["q1"]["lost_at"]) == ("missing", "retrieval")
    assert stage.metrics == {"category/missing": 1.0, "category/ok": 1.0, "lost_at/retrieval": 1.0}


def test_without_truth_the_table_is_empty():
    table, _ = report_errors(empty_table(QUESTIONS), empty_table(ENSEMBLE_VOTES), empty_table(RETRIEVED_CONTEXT))
    assert (table.schema, table.num_rows) == (ERROR_REPORT, 0)


@pytest.mark.parametrize(
    ("truth", "answer", "unit", "category"),
    [
        ("3.6", "1", "MJ", "unit_conversion"),
        ("10", "22.05", "kg", "unit_conversion"),
        ("48", "2", "hours", "unit_conversion"),
        ("[48,72]", "[2,3]", "hours", "unit_conversion"),
        ("[48,72]", "[2,4]", "hours", "value"),
        ("48", "2.1", "hours", "value"),
        ("48", "2", "", "value"),
        ("48", "2", "bottles", "value"),
        ("48", "0", "hours", "value"),
    ],
)
def test_a_value_in_another_unit_of_the_same_dimension_is_a_matter_of_units(truth, answer, unit, category):
    assert classify_value("How long?", truth, answer, unit)[0] == category


@pytest.mark.parametrize(
    ("category", "lost_at", "name"),
    [
        ("ok", None, "right"),
        ("value", "retrieval", "document not retrieved"),
        ("unit_conversion", "context", "evidence not in context"),
        ("unit_conversion", "generation", "wrong unit"),
        ("false_negative", "retrieval", "document not retrieved"),
        ("false_negative", "generation", "wrong blank"),
        ("rounding", "generation", "value not read"),
        ("categorical", None, "value not read"),
        ("false_positive", "generation", "invented"),
        ("reference", "retrieval", "wrong reference"),
        ("missing", "retrieval", "no answer"),
    ],
)
def test_an_error_class_is_the_first_loss_on_the_way(category, lost_at, name):
    assert class_of(category, lost_at) == name
    assert name in {RIGHT, *ERROR_CLASSES}


def test_without_contexts_no_place_is_named():
    table, stage = report_errors(
        pa.Table.from_pylist([question("q1")], schema=QUESTIONS),
        pa.Table.from_pylist([vote("q1", "7")], schema=ENSEMBLE_VOTES),
        None,
    )
    [row] = table.to_pylist()
    assert (row["category"], row["lost_at"], row["error_class"]) == ("value", None, "value not read")
    assert stage.metrics == {"category/value": 1.0}
