"""Which runs may vote."""

from kohaku_lib.evaluation.voting.members import find_broken, find_copies


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


def texts(*values):
    return [{"id": f"q{place}", "answer_value": value, "answer_unit": "kg"} for place, value in enumerate(values)]


TRUTH = [str(number) for number in range(100, 112)]


def test_a_run_that_contradicts_nearly_everything_is_broken():
    shuffled = TRUTH[3:] + TRUTH[:3]
    runs = {name: texts(*TRUTH) for name in "abc"} | {"d": texts(*shuffled)}
    assert find_broken(spread(runs)) == {"d": "it contradicts 12 of 12 answers that the others agree on"}


def spread(runs):
    """The runs with words of their own, so that none is a copy."""
    return {name: [row | {"explanation": name} for row in rows] for name, rows in runs.items()}


def test_a_weak_run_is_no_wrong_file():
    weak = [*TRUTH[:2], *("9" * 10)]
    assert find_broken(spread({name: texts(*TRUTH) for name in "abc"} | {"d": texts(*weak)})) == {}


def test_copies_make_no_majority_that_could_break_a_run():
    runs = {name: texts(*TRUTH) for name in "abc"} | {"d": texts(*(TRUTH[3:] + TRUTH[:3]))}
    assert find_broken(runs) == {}


def test_true_and_false_break_nobody():
    claims = [{"id": f"q{n}", "question": "True or False: it rains.", "answer_value": "1"} for n in range(12)]
    runs = dict.fromkeys("abc", claims) | {"d": [row | {"answer_value": "0"} for row in claims]}
    assert find_broken(spread(runs)) == {}


def test_a_run_of_other_questions_is_broken_though_the_ids_agree():
    asked = [row | {"question": f"How much is {row['id']}?"} for row in texts("1", "2", "3", "4")]
    other = [row | {"question": f"Who is {row['id']}?"} for row in asked]
    spaced = [row | {"question": f" how much  is {row['id']}? "} for row in asked]
    broken = find_broken({"a": asked, "b": spaced, "c": asked, "d": other})
    assert broken == {"d": "4 of its 4 questions are other ones than the runs' under their ids"}


def test_two_runs_cannot_tell_which_of_them_was_asked_other_questions():
    asked = [row | {"question": "How much?"} for row in texts("1", "2", "3")]
    assert find_broken({"a": asked, "b": [row | {"question": "Who?"} for row in asked]}) == {}


def test_copies_are_found_word_for_word_from_ten_rows_on():
    rows = texts(*TRUTH)
    assert find_copies({"a": rows, "b": texts(*TRUTH), "c": spread({"c": rows})["c"]}) == {"b": "a"}
    assert find_copies({"a": rows[:9], "b": rows[:9]}) == {}
