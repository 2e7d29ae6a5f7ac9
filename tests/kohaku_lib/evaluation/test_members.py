"""Which runs may vote."""

from kohaku_lib.evaluation.members import find_broken


def run(*values, first=0):
    return [{"id": f"q{first + place}", "answer_value": value} for place, value in enumerate(values)]


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
