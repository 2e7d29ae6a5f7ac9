"""The CSV that a competition takes."""

import csv
import json

import pyarrow as pa
import pytest

from kohaku_lib.errors import InputFileError
from kohaku_lib.evaluation import build_submission, read_rows, write_csv
from kohaku_lib.tables import ENSEMBLE_VOTES, QUESTIONS, SUBMISSION

COLUMNS = [
    "id",
    "question",
    "answer",
    "answer_value",
    "answer_unit",
    "ref_id",
    "ref_url",
    "supporting_materials",
    "explanation",
]


def questions(*names, unit="days"):
    rows = [
        {
            "id": name,
            "question": f"Question {name}?",
            "answer_unit": unit,
            "has_truth": False,
            "row_json": json.dumps({}),
        }
        for name in names
    ]
    return pa.Table.from_pylist(rows, schema=QUESTIONS)


def votes(*records):
    rest = {
        "question": "asked otherwise",
        "answer": "Seven.",
        "answer_unit": "weeks",
        "ref_url": ["https://example.org/a"],
    }
    more = {"supporting_materials": "Paper a", "explanation": "Quote", "agreement": 1.0, "votes_json": "[]"}
    return pa.Table.from_pylist([{**rest, **more, **record} for record in records], schema=ENSEMBLE_VOTES)


def test_rows_stand_in_the_order_of_the_questions_under_the_contract_s_columns():
    cast = votes(
        {"id": "q2", "answer_value": "2", "ref_id": ["a"]}, {"id": "q1", "answer_value": "1", "ref_id": ["a", "b"]}
    )
    table, report = build_submission(cast, questions("q1", "q2"))
    assert (table.schema, table.column_names) == (SUBMISSION, COLUMNS)
    first = table.to_pylist()[0]
    assert (first["id"], first["answer_value"], first["ref_id"]) == ("q1", "1", "['a','b']")
    assert (first["ref_url"], first["question"], first["answer_unit"]) == (
        "['https://example.org/a']",
        "Question q1?",
        "days",
    )
    assert (report.rows_computed, report.problems) == (2, ())


def test_a_question_without_a_vote_is_blank_and_reported():
    table, report = build_submission(votes(), questions("q1"))
    row = table.to_pylist()[0]
    assert {row[name] for name in COLUMNS[5:]} | {row["answer"], row["answer_value"]} == {"is_blank"}
    assert (row["id"], row["question"], row["answer_unit"]) == ("q1", "Question q1?", "days")
    assert report.problems == ("The question 'q1' has no vote and is left blank.",)


def test_a_blank_value_blanks_the_references_too():
    table, _ = build_submission(votes({"id": "q1", "answer_value": "N/A", "ref_id": ["a"]}), questions("q1"))
    row = table.to_pylist()[0]
    assert (row["answer_value"], row["ref_id"], row["ref_url"], row["answer"]) == ("is_blank",) * 4


def test_no_cell_is_ever_empty():
    cast = votes({"id": "q1", "answer_value": "1", "ref_id": [], "ref_url": [], "explanation": "", "answer_unit": ""})
    table, _ = build_submission(cast, questions("q1", unit=None))
    assert all(table.to_pylist()[0].values())


def test_a_written_file_is_read_again(tmp_path):
    table, _ = build_submission(
        votes({"id": "q1", "answer_value": "café, “x”\nz", "ref_id": ["a", "b"]}), questions("q1", "q2")
    )
    path = tmp_path / "out" / "answers.csv"
    write_csv(table, path)
    assert read_rows(path) == table.to_pylist()
    assert path.read_bytes().startswith(b"id,question,answer,")
    assert b"\r" not in path.read_bytes()
    assert [entry.name for entry in path.parent.iterdir()] == ["answers.csv"]


def test_rows_are_written_with_lists_as_references_and_chosen_columns(tmp_path):
    path = tmp_path / "answers.csv"
    write_csv(
        [{"id": "q1", "ref_id": ["a", "b"], "note": None, "extra": "dropped"}, {"id": "q2", "ref_id": ()}],
        path,
        ("id", "ref_id", "note"),
    )
    with path.open(newline="", encoding="utf-8") as stream:
        assert list(csv.reader(stream)) == [["id", "ref_id", "note"], ["q1", "['a','b']", ""], ["q2", "is_blank", ""]]


def test_a_failed_write_leaves_the_old_file_alone(tmp_path):
    path = tmp_path / "answers.csv"
    path.write_text("old")

    class Unprintable:
        def __str__(self):
            raise OSError(28, "No space left on device")

    with pytest.raises(InputFileError, match="No space left on device"):
        write_csv([{"id": Unprintable()}], path)
    assert path.read_text() == "old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["answers.csv"]


def test_a_path_that_cannot_be_is_one_sentence(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputFileError, match="choose another"):
        write_csv([], tmp_path / "file" / "answers.csv")
