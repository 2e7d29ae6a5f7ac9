"""Which runs may vote, and what they are called."""

from pathlib import Path

import pytest

from kohaku_lib.evaluation.members import find_broken, label_paths


def run(*values, first=0):
    return [{"id": f"q{first + place}", "answer_value": value} for place, value in enumerate(values)]


@pytest.mark.parametrize(
    ("paths", "labels"),
    [
        (["runs/a/submission.csv", "runs/b/submission.csv"], ["a", "b"]),
        (["runs/a.csv", "runs/b.csv"], ["a", "b"]),
        (["x/a/1.csv", "x/b/2.csv"], ["a/1", "b/2"]),
        (["x/a.1.csv", "x/a.2.csv"], ["a.1", "a.2"]),
        (["one.csv"], ["one"]),
        (["a.csv", "a.csv"], ["a", "a#2"]),
        ([], []),
    ],
)
def test_runs_are_called_by_what_differs_in_their_paths(paths, labels):
    assert label_paths([Path(path) for path in paths]) == labels


def test_paths_of_unequal_depth_have_labels_that_differ():
    labels = label_paths([Path("a.csv"), Path("x/a.csv"), Path("x/y/a.csv")])
    assert len(set(labels)) == 3
    assert all(labels)


def test_whole_runs_are_not_broken():
    assert find_broken({"a": run("1", "2", "3"), "b": run("1", "", "4")}) == {}


def test_a_run_without_rows_or_columns_is_broken():
    broken = find_broken({"a": run("1"), "b": [], "c": [{"id": "q0", "value": "1"}], "d": [{"answer_value": "1"}]})
    assert broken == {
        "b": "it holds no rows",
        "c": "it has no column 'answer_value'",
        "d": "it has no column 'id'",
    }


def test_a_run_that_is_blank_throughout_is_broken_where_the_others_answer():
    broken = find_broken({"a": run("1", "2", "3"), "b": run("", "is_blank", ""), "c": run("1", "", "3")})
    assert broken == {"b": "all of its 3 answers are blank"}


def test_abstentions_are_no_fault():
    assert find_broken({"a": run("1", "2"), "b": run("", "")}) == {}
    assert find_broken({"a": run("1", "", "", ""), "b": run("", "", "", "")}) == {}
    assert find_broken({"a": run("", "", ""), "b": run("", "", "")}) == {}


def test_a_run_of_foreign_ids_is_broken_where_the_others_share_theirs():
    broken = find_broken({"a": run("1", "2"), "b": run("1", "2"), "c": run("1", "2", first=50)})
    assert broken == {"c": "none of its ids occurs in another run"}


def test_runs_over_different_questions_are_parts_of_one_vote():
    assert find_broken({"a": run("1", "2"), "b": run("1", "2", first=2)}) == {}
    assert find_broken({"a": run("1", "2", "3"), "b": run("3", "4", first=2), "c": run("4", first=3)}) == {}


def test_one_run_alone_is_never_judged_by_others():
    assert find_broken({"a": run("", "", "")}) == {}
