"""Ways to vote against each other: made runs whose best policy is known."""

import pytest

from kohaku_lib.errors import InputFileError
from kohaku_lib.evaluation.voting.vote_policies import draw_pools, score_policies, vote_policies

TRUTH = [{"id": f"q{number}", "question": "How much?", "answer_value": "7", "ref_id": "['a']"} for number in range(6)]


def run_of(*values):
    return [
        {
            **row,
            "answer_value": value,
            "ref_id": "is_blank" if value == "is_blank" else "['a']",
            "explanation": str(values),
        }
        for row, value in zip(TRUTH, values, strict=True)
    ]


@pytest.fixture(scope="module")
def runs():
    """Most abstain on half of the questions, and whoever answers is right."""
    return {
        "a": run_of("7", "7", "7", "is_blank", "is_blank", "7"),
        "b": run_of("7", "7", "7", "is_blank", "7", "is_blank"),
        "c": run_of("7", "7", "7", "7", "is_blank", "is_blank"),
    }


def by_policy(found):
    return {(one.policy.ref_mode, one.policy.ignore_blank, one.policy.tie_break): one for one in found}


def test_ignoring_blanks_wins_where_whoever_answers_is_right(runs):
    found = by_policy(score_policies(runs, TRUTH))
    ignored, counted = (found["answer_priority", blank, "first"].report for blank in (True, False))
    assert (ignored.value, counted.value) == (1.0, 0.5)


def test_every_policy_is_there_once_and_the_best_first(runs):
    found = score_policies(runs, TRUTH)
    assert len(by_policy(found)) == len(found) == len(vote_policies())
    scores = [one.report.score for one in found]
    assert scores == sorted(scores, reverse=True)
    assert [one.p_value for one in found if one.is_default] == [None]
    assert all(one.pools_mean is None and one.pools_won is None for one in found)


def test_p_values_are_against_the_default_and_corrected(runs):
    found = score_policies(runs, TRUTH)
    default = next(one for one in found if one.is_default)
    equal = [one for one in found if not one.is_default and one.report.score == default.report.score]
    assert equal
    assert all(one.p_value == 1.0 for one in equal)


def test_pools_order_the_policies_and_count_wins(runs):
    found = score_policies(runs, TRUTH, pools=3, seed=1)
    means = [one.pools_mean for one in found]
    assert means == sorted(means, reverse=True)
    assert next(one for one in found if one.is_default).pools_won == 1.0
    assert all(0.0 <= one.pools_won <= 1.0 for one in found)
    assert found == score_policies(runs, TRUTH, pools=3, seed=1)


@pytest.mark.parametrize(("number", "least", "most"), [(1, 1, 1), (3, 2, 3), (8, 4, 8), (12, 5, 10)])
def test_pools_are_of_five_to_ten_runs_in_their_order(number, least, most):
    names = [f"run {place:02}" for place in range(number)]
    pools = draw_pools(names, 40)
    assert len(pools) == 40
    assert {len(pool) for pool in pools} <= set(range(least, most + 1))
    assert all(pool == sorted(set(pool)) for pool in pools)


def test_no_usable_run_is_refused():
    with pytest.raises(InputFileError, match="at least one run with answers"):
        score_policies({"a": []}, TRUTH)


def test_a_run_that_cannot_vote_is_in_no_pool(runs):
    found = score_policies({"a": runs["a"], "other table": [{"name": "x"}]}, TRUTH, pools=6)
    assert [one.pools_mean for one in found] == pytest.approx([one.report.score for one in found])
