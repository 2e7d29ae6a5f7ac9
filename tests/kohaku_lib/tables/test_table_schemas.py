"""The Arrow schemas of the tables agree with the classes of their rows, and with each other."""

from dataclasses import fields

import numpy as np
import pyarrow as pa
import pytest

from kohaku_lib import tables
from kohaku_lib.tables import (
    ENSEMBLE_VOTES,
    IMAGE_MATCH,
    MATCH,
    PLAN,
    PREDICTIONS,
    QUERY,
    QUESTIONS,
    RETRIEVED_CONTEXT,
    SNIPPET,
    SUBMISSION,
    ImageMatch,
    Match,
    PlannedQuery,
    QueryPlan,
    RetrievalResult,
    Snippet,
    empty_table,
    vector_schema,
)

SCHEMAS = {name: value for name, value in vars(tables).items() if isinstance(value, pa.Schema)}


@pytest.mark.parametrize(
    ("struct", "record"), [(MATCH, Match), (SNIPPET, Snippet), (IMAGE_MATCH, ImageMatch), (QUERY, PlannedQuery)]
)
def test_a_struct_has_the_fields_of_its_class_in_order(struct, record):
    assert [field.name for field in struct] == [field.name for field in fields(record)]


def test_a_plan_has_the_fields_of_its_class_but_the_id_of_the_question():
    assert {field.name for field in PLAN} == {field.name for field in fields(QueryPlan)} - {"id"}


@pytest.mark.parametrize("name", SCHEMAS)
def test_no_schema_repeats_a_column_and_all_are_exported(name):
    columns = SCHEMAS[name].names
    assert len(set(columns)) == len(columns) > 0
    assert name in tables.__all__


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_json_column_is_text(name):
    assert all(field.type == pa.string() for field in SCHEMAS[name] if field.name.endswith("_json"))


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_table_without_rows_has_the_schema(name):
    table = empty_table(SCHEMAS[name])
    assert table.schema.equals(SCHEMAS[name])
    assert table.num_rows == 0


def test_a_submission_has_the_text_columns_of_the_votes_in_their_order():
    assert SUBMISSION.names == [name for name in ENSEMBLE_VOTES.names if name in SUBMISSION.names]
    assert set(SUBMISSION.names) < set(PREDICTIONS.names)
    assert all(field.type == pa.string() and not field.nullable for field in SUBMISSION)


def test_the_tables_of_a_question_share_its_id():
    ids = [schema.field("id") for schema in (QUESTIONS, RETRIEVED_CONTEXT, PREDICTIONS, ENSEMBLE_VOTES)]
    assert all(field.type == pa.string() and not field.nullable for field in ids)


def test_vectors_have_a_fixed_number_of_components():
    schema = vector_schema(3)
    rows = pa.FixedSizeListArray.from_arrays(pa.array(np.arange(6, dtype=np.float32)), 3)
    columns = {"node_id": ["a", "b"], "vector": rows, "norm_ok": [True, True]}
    assert pa.table(columns, schema=schema)["vector"].to_pylist() == [[0, 1, 2], [3, 4, 5]]
    assert schema.field("vector").type.list_size == 3
    with pytest.raises((pa.ArrowInvalid, TypeError, ValueError)):
        pa.table(columns, schema=vector_schema(4)).validate(full=True)


def test_a_result_has_the_id_and_the_queries_of_its_plan():
    plan = QueryPlan("q7", (PlannedQuery("How much?", "question"), PlannedQuery("energy use")))
    assert plan.texts == ("How much?", "energy use")
    assert (RetrievalResult(plan).id, RetrievalResult(plan).queries) == ("q7", plan.texts)
    assert QueryPlan("q8").texts == ()


def test_timings_do_not_make_results_unequal():
    plan = QueryPlan("q1")
    assert RetrievalResult(plan, timings_ms={"dense": 1.0}) == RetrievalResult(plan, timings_ms={"dense": 2.0})
    assert RetrievalResult(plan, trace={"a": 1}) != RetrievalResult(plan)
