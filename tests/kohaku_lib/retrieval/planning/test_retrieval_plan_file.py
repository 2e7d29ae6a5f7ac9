"""Plans from a file: queries as they are, and one sentence for what is no plan."""

import json

import pytest

from kohaku_lib.errors import InputFileError
from kohaku_lib.retrieval import read_plans
from kohaku_lib.retrieval.planning.plan_rows import plan_from_row


def write(folder, *lines):
    path = folder / "plans.jsonl"
    path.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines), encoding="utf-8")
    return path


def test_the_first_query_is_the_question_and_blank_lines_do_not_count(tmp_path):
    path = write(
        tmp_path,
        {"id": "q2", "queries": ["How heavy?", " weight kg "], "note": 1},
        "",
        {"id": "q1", "queries": ["Who?"]},
    )
    rows = read_plans(path).to_pylist()
    plans = [plan_from_row(row["id"], row["plan"]) for row in rows]
    assert [(plan.id, [(query.text, query.role) for query in plan.queries]) for plan in plans] == [
        ("q2", [("How heavy?", "question"), ("weight kg", "planned")]),
        ("q1", [("Who?", "question")]),
    ]
    assert {row["planner"] for row in rows} == {"file.v1"}


@pytest.mark.parametrize(
    "line",
    [
        "not JSON",
        "[1]",
        "[" * 100_000,
        {"id": "q1"},
        {"id": "", "queries": ["a"]},
        {"id": "q1", "queries": []},
        {"id": "q1", "queries": ["a", " "]},
        {"id": "q1", "queries": ["a", 2]},
        {"id": "q1", "queries": ["a"] * 9},
        {"id": "first", "queries": ["again"]},
    ],
)
def test_a_line_that_is_no_plan_is_named_with_what_to_write(tmp_path, line):
    path = write(tmp_path, {"id": "first", "queries": ["a"]}, line)
    with pytest.raises(InputFileError, match=r"line 2 of .*plans\.jsonl.*write \{\"id\"") as caught:
        read_plans(path)
    assert "\n" not in str(caught.value)


def test_a_missing_file_is_one_sentence(tmp_path):
    with pytest.raises(InputFileError, match="cannot be read"):
        read_plans(tmp_path / "none.jsonl")
