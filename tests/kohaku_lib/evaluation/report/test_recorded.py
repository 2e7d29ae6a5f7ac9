"""Recorded runs as the answers of a report: labels, costs, contexts and what cannot be read."""

import json

import pytest

from kohaku_lib.errors import InputFileError
from kohaku_lib.evaluation.report import recorded_answers
from kohaku_lib.settings import EnsembleSettings

ROWS = [("q1", "4"), ("q2", "5"), ("q3", "6")]
CONTEXT = {"id": "q1", "queries": ["?"], "matches": [], "snippets": []}


def write_run(path, rows=ROWS, costs=None):
    head = "id,answer_value,ref_id" + (",cost_usd" if costs else "")
    lines = [f"{name},{value},['a']" + (f",{costs[name]}" if costs else "") for name, value in rows]
    path.write_text("\n".join([head, *lines]) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def truth(tmp_path):
    path = tmp_path / "truth.csv"
    rows = [f"{name},How much?,{value},['a']" for name, value in ROWS]
    path.write_text("\n".join(["id,question,answer_value,ref_id", *rows]) + "\n", encoding="utf-8")
    return path


def recorded(tmp_path, truth, *runs, contexts=None):
    return recorded_answers(runs, truth, contexts, EnsembleSettings())


def test_runs_are_members_by_the_names_of_their_files_and_are_voted(tmp_path, truth):
    runs = write_run(tmp_path / "small.csv"), write_run(tmp_path / "large.csv")
    answers, problems = recorded(tmp_path, truth, *runs)
    assert list(answers.members) == ["small", "large"]
    assert answers.votes["answer_value"].to_pylist() == ["4", "5", "6"]
    assert answers.questions["id"].to_pylist() == ["q1", "q2", "q3"]
    assert (answers.predictions, answers.contexts, problems) == (None, None, ())


def test_the_cost_of_a_run_is_the_sum_of_its_column_and_unknown_if_a_cell_is_no_number(tmp_path, truth):
    priced = write_run(tmp_path / "priced.csv", costs={"q1": "0.25", "q2": "0.5", "q3": "0"})
    partly = write_run(tmp_path / "partly.csv", costs={"q1": "0.25", "q2": "", "q3": "0"})
    plain = write_run(tmp_path / "plain.csv")
    answers, _ = recorded(tmp_path, truth, priced, partly, plain)
    assert answers.costs == {"priced": 0.75}


def test_a_broken_run_is_no_member_and_is_reported(tmp_path, truth):
    blank = write_run(tmp_path / "blank.csv", [(name, "is_blank") for name, _ in ROWS])
    answers, problems = recorded(tmp_path, truth, write_run(tmp_path / "good.csv"), blank)
    assert list(answers.members) == ["good"]
    assert len(problems) == 1
    assert "'blank'" in problems[0]


def test_the_problems_of_the_truth_come_with_those_of_the_vote(tmp_path, truth):
    truth.write_text(truth.read_text() + ",Who?,x,\n")
    _, problems = recorded(tmp_path, truth, write_run(tmp_path / "good.csv"))
    assert len(problems) == 1
    assert "row 4 of truth.csv has no id" in problems[0]


def test_contexts_are_the_lines_of_kohaku_retrieve_and_blank_lines_are_skipped(tmp_path, truth):
    path = tmp_path / "contexts.jsonl"
    path.write_text(json.dumps(CONTEXT) + "\n\n" + json.dumps(CONTEXT | {"id": "q2", "more": 1}) + "\n")
    answers, _ = recorded(tmp_path, truth, write_run(tmp_path / "good.csv"), contexts=path)
    assert answers.contexts["id"].to_pylist() == ["q1", "q2"]
    assert answers.contexts["trace_json"].to_pylist() == ["{}", "{}"]


@pytest.mark.parametrize("text", ["{", "[]", '{"id": "q1"}', json.dumps(CONTEXT | {"matches": 7})])
def test_a_file_that_is_no_output_of_kohaku_retrieve_is_refused(tmp_path, truth, text):
    path = tmp_path / "contexts.jsonl"
    path.write_text(text)
    with pytest.raises(InputFileError, match="is not output of 'kohaku retrieve'"):
        recorded(tmp_path, truth, write_run(tmp_path / "good.csv"), contexts=path)


def test_without_a_usable_run_there_is_no_report(tmp_path, truth):
    empty = write_run(tmp_path / "empty.csv", [])
    with pytest.raises(InputFileError, match="A vote needs at least one run"):
        recorded(tmp_path, truth, empty)
