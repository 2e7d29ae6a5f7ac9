"""Accepted questions: a CSV file of truth, a row per question and organisation."""

import pytest

from kohaku_lib.answering import read_questions, with_accepted
from kohaku_lib.conversation.usage.accepted_questions import accept, accepted_of, accepted_row
from kohaku_lib.errors import InputFileError


def row(answer_id="a1", question="How heavy is it?", value="4 kg", org_id="default"):
    return accepted_row(answer_id, question, value, None, ["d1"], org_id, "ann")


def test_a_later_acceptance_of_a_question_replaces_the_earlier_one_of_the_organisation(tmp_path):
    path = tmp_path / "accepted.csv"
    accept(path, row())
    accept(path, row("a2", org_id="acme"))
    accept(path, row("a3", value='5 kg, says "Ann"'))
    assert [(one["id"], one["answer_value"]) for one in accepted_of(path, "default")] == [
        ("served:a3", '5 kg, says "Ann"')
    ]
    assert [one["answer_unit"] for one in accepted_of(path, "acme")] == ["kg"]
    assert accepted_of(tmp_path / "none.csv", "default") == []


def test_a_unit_may_be_given():
    made = accepted_row("a1", "How heavy is it?", "4", "tonnes", [], "default", "ann")
    assert (made["answer_value"], made["answer_unit"]) == ("4", "tonnes")


def test_accepted_questions_follow_those_of_the_file(tmp_path):
    (tmp_path / "own.csv").write_text("id,question,answer_value\nq1,How heavy is it?,4\n")
    path = tmp_path / "accepted.csv"
    for number, (question, org_id) in enumerate(
        [("HOW heavy is it?", "default"), ("Why?", "default"), ("Who?", "acme")]
    ):
        accept(path, row(f"a{number}", question, org_id=org_id))
    table, report = with_accepted(*read_questions(tmp_path / "own.csv"), path, "default")
    assert table.column("id").to_pylist() == ["q1", "served:a1"]
    assert table.column("has_truth").to_pylist() == [True, True]
    assert report.problems == ()


def test_a_file_without_the_columns_is_refused(tmp_path):
    path = tmp_path / "accepted.csv"
    path.write_text("id,question\nq1,Why?\n")
    with pytest.raises(InputFileError, match="answer_value"):
        accept(path, row())
