"""Probabilities after the votes on one question, against numbers worked out by hand."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.evaluation.voting.ballots import Ballot
from kohaku_lib.evaluation.voting.belief import Reliability, believe
from kohaku_lib.evaluation.voting.polls import take_poll

PLAIN = Reliability(right=0.6, blank=0.2, abstains=0.9, cites=0.8)
CLAIM = {"question": "True or False: amber is a stone."}


def poll(*votes, row=CLAIM):
    return take_poll([Ballot(f"m{place}", value, tuple(refs), row) for place, (value, refs) in enumerate(votes)])


def belief(*votes, row=CLAIM, members=None, unanswerable=0.1):
    return believe(poll(*votes, row=row), members or [PLAIN] * len(votes), unanswerable)


def test_one_vote_moves_the_prior_by_bayes_rule():
    found = belief(("1", ()))
    # right 0.6 with prior 1/2; wrong 0.2 over two values, with prior 1/2; unanswerable 0.1 over two values
    right, none, nothing = 0.9 * 0.5 * 0.6, 0.9 * 0.5 * 0.1, 0.1 * 0.05
    total = right + none + nothing
    assert found.values == pytest.approx((right / total,))
    assert (found.none, found.unanswerable) == pytest.approx((none / total, nothing / total))


def test_one_blank_speaks_for_a_question_without_an_answer():
    found = belief(("is_blank", ()))
    answerable, nothing = 0.9 * 0.2, 0.1 * 0.9
    assert found.unanswerable == pytest.approx(nothing / (answerable + nothing))


@pytest.mark.parametrize(("stated", "if_right", "if_wrong"), [(True, 0.9, 0.6), (False, 0.1, 0.4), (None, 1.0, 1.0)])
def test_a_value_counts_by_how_often_right_and_wrong_ones_are_stated(stated, if_right, if_wrong):
    member = Reliability(right=0.6, blank=0.2, abstains=0.9, cites=0.8, states_right=0.9, states_wrong=0.6)
    found = believe(take_poll([Ballot("m", "1", row=CLAIM, stated=stated)]), [member], 0.1)
    right, none, nothing = 0.45 * 0.6 * if_right, 0.45 * 0.1 * if_wrong, 0.1 * 0.05 * if_wrong
    assert found.values == pytest.approx((right / (right + none + nothing),))
    assert found.unanswerable == pytest.approx(nothing / (right + none + nothing))


@given(st.lists(st.tuples(st.sampled_from("10"), st.booleans()), min_size=1, max_size=7))
def test_statements_change_nothing_where_right_values_are_stated_as_often_as_wrong_ones(votes):
    told = take_poll([Ballot(f"m{place}", value, (), CLAIM, stated) for place, (value, stated) in enumerate(votes)])
    found, without = believe(told, [PLAIN] * len(votes), 0.1), belief(*((value, ()) for value, _ in votes))
    assert found.values == pytest.approx(without.values)
    assert found.unanswerable == pytest.approx(without.unanswerable)


def test_two_votes_count_less_than_twice_since_members_err_together():
    weight = 1 / 1.2
    found = belief(("1", ()), ("1", ()))
    right, none, nothing = 0.45 * 0.6 ** (2 * weight), 0.45 * 0.1 ** (2 * weight), 0.1 * 0.05 ** (2 * weight)
    assert found.values[0] == pytest.approx(right / (right + none + nothing))


def test_a_reliable_voter_outweighs_two_poor_ones():
    good, poor = Reliability(0.95, 0.02, 0.9, 0.8), Reliability(0.45, 0.1, 0.9, 0.8)
    found = belief(("0", ()), ("1", ()), ("1", ()), members=[good, poor, poor])
    assert found.values[0] > found.values[1]


def test_a_vote_that_repeats_others_counts_its_share():
    half = Reliability(0.6, 0.2, 0.9, 0.8, share=0.5)
    twice, once = belief(("1", ("a",)), ("1", ("a",)), members=[half, half]), belief(("1", ("a",)))
    assert twice.values == pytest.approx(once.values)
    assert twice.refs == pytest.approx(once.refs)


def test_a_source_that_most_cite_is_likelier():
    found = belief(("1", ("a",)), ("1", ("a",)), ("1", ("b",)))
    right, wrong, weight = 0.8, 0.2 / 9, 1 / 1.4
    a, b = right ** (2 * weight) * wrong**weight, right**weight * wrong ** (2 * weight)
    rest = 8 * wrong ** (3 * weight)
    assert found.refs["a"] == pytest.approx(a / (a + b + rest))
    assert found.refs["b"] == pytest.approx(b / (a + b + rest))


def test_blanks_that_cite_one_source_speak_for_an_answer_that_was_not_found():
    blank = "is_blank"
    agreed = belief((blank, ("a",)), (blank, ("a",)), (blank, ("a",)))
    scattered = belief((blank, ("a",)), (blank, ("b",)), (blank, ("c",)))
    assert agreed.unanswerable < belief((blank, ()), (blank, ()), (blank, ())).unanswerable < 1.0
    assert agreed.unanswerable < scattered.unanswerable


VOTES = st.lists(
    st.tuples(st.sampled_from(["is_blank", "1", "0", "2027"]), st.sampled_from([(), ("a",), ("a", "b")])),
    min_size=1,
    max_size=9,
)
MEMBERS = st.builds(
    lambda right, rest, cites: Reliability(right, (1 - right) * rest, 0.9, cites),
    st.floats(0.05, 0.95),
    st.floats(0.05, 0.95),
    st.floats(0.05, 0.95),
)


@given(VOTES, st.data())
def test_probabilities_sum_to_one_whoever_votes(votes, data):
    members = data.draw(st.lists(MEMBERS, min_size=len(votes), max_size=len(votes)))
    found = belief(*votes, members=members)
    assert math.fsum((*found.values, found.none, found.unanswerable)) == pytest.approx(1.0)
    assert all(0.0 <= chance <= 1.0 for chance in found.refs.values())
    assert sum(found.refs.values()) <= 1.0 + 1e-9


@given(VOTES, st.permutations(range(9)))
def test_the_order_of_the_votes_changes_no_probability(votes, order):
    shuffled = [votes[place] for place in order if place < len(votes)]
    first, second = belief(*votes), belief(*shuffled)
    by_value = dict(zip(poll(*votes).candidates, first.values, strict=True))
    assert dict(zip(poll(*shuffled).candidates, second.values, strict=True)) == pytest.approx(by_value)
    assert second.unanswerable == pytest.approx(first.unanswerable)
