from itertools import combinations
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.errors import InputFileError
from kohaku_lib.evaluation.voting.vote_sizes import even_combinations, score_sizes

TRUTH = [{"id": f"q{n}", "answer_value": "7", "ref_id": "['a']"} for n in range(4)]


def run(*values):
    return [{"id": f"q{n}", "answer_value": value, "ref_id": "['a']"} for n, value in enumerate(values)]


@given(st.integers(1, 9), st.integers(1, 9))
def test_few_combinations_are_all_of_them_in_order(names, size):
    letters = "abcdefghi"[:names]
    if size <= names:
        assert even_combinations(letters, size, most=126) == [list(one) for one in combinations(letters, size)]


def test_of_many_combinations_the_evenly_spaced_ones_are_taken():
    names = [f"r{number:02}" for number in range(16)]
    chosen = even_combinations(names, 7)
    every = list(combinations(names, 7))
    assert chosen == [list(every[number * comb(16, 7) // 32]) for number in range(32)]


def test_votes_of_more_runs_mend_what_single_ones_get_wrong():
    runs = {"a": run("7", "7", "1", "7"), "b": run("7", "2", "7", "7"), "c": run("3", "7", "7", "7")}
    single, three = (one for one in score_sizes(runs, TRUTH) if one.value == "answer_priority")
    assert (single.runs, single.combinations, single.mean, single.deviation) == (1, 3, pytest.approx(0.8125), 0.0)
    assert (three.runs, three.combinations, three.mean) == (3, 1, pytest.approx(1.0))


def test_blanks_are_varied_with_everything_else_the_same():
    runs = {"a": run("7", "7", "7", "7"), "b": run("", "7", "7", "7"), "c": run("", "7", "7", "7")}
    by_blanks = {(one.value, one.runs): one.mean for one in score_sizes(runs, TRUTH, "ignore_blank")}
    assert by_blanks["true", 3] == pytest.approx(1.0)
    assert by_blanks["false", 3] < 1.0


def test_without_a_usable_run_there_is_nothing_to_vote():
    with pytest.raises(InputFileError, match="need runs with answers, got 1"):
        score_sizes({"a": []}, TRUTH)
