"""How reliable runs are, learned from each other and from labels."""

import random
from dataclasses import replace

import pytest

from kohaku_lib.evaluation.voting.ballots import Ballot
from kohaku_lib.evaluation.voting.belief import Belief
from kohaku_lib.evaluation.voting.polls import Poll, take_poll
from kohaku_lib.evaluation.voting.reliability import LabelledPoll, estimate

NUMBER = {"question": "How much?", "answer_unit": "kg"}
CLAIM = {"question": "True or False: amber is a stone.", "answer_unit": "is_blank"}


def pool(accuracies, n=60, seed=0, row=NUMBER):
    """Polls on `n` questions whose truth is their number, by members that are right that often and else stray alone."""
    draw = random.Random(seed)
    polls = []
    for number in range(100, 100 + n):
        votes = [
            str(number) if draw.random() < accuracy else str(draw.randint(1000, 9999))
            for accuracy in accuracies.values()
        ]
        polls.append(take_poll([Ballot(m, v, ("a",), row) for m, v in zip(accuracies, votes, strict=True)]))
    return polls


def right(found, member, kind="number"):
    return found[member, kind].right


def test_members_are_ranked_by_their_agreement_with_the_others():
    found = estimate(pool({"poor": 0.2, "good": 0.9, "fair": 0.6, "fine": 0.75}))
    assert right(found, "poor") < right(found, "fair") < right(found, "fine") < right(found, "good")


def test_the_order_of_members_and_questions_changes_nothing():
    polls = pool({"x": 0.9, "y": 0.6, "z": 0.4})
    turned = [take_poll(list(reversed(poll.ballots))) for poll in reversed(polls)]
    first, second = estimate(polls), estimate(turned)
    for key, found in first.items():
        assert second[key].right == pytest.approx(found.right)
        assert second[key].blank == pytest.approx(found.blank)


def test_few_questions_move_a_member_little_from_the_prior():
    found = estimate(pool({"x": 1.0, "y": 1.0, "z": 0.0}, n=1))
    assert abs(right(found, "z") - right(found, "x")) < 0.15


def test_questions_on_which_all_agree_tell_nobody_from_another():
    contested = pool({"x": 0.9, "y": 0.6, "z": 0.4}, n=30)
    trivial = [take_poll([Ballot(m, "7", ("a",), NUMBER) for m in "xyz"])] * 60
    alone, both = estimate(contested), estimate([*contested, *trivial])
    assert right(both, "x") - right(both, "z") > 0.7 * (right(alone, "x") - right(alone, "z"))


def test_a_member_may_be_good_at_one_kind_of_question_only():
    numbers = pool({"x": 0.9, "y": 0.3, "u": 0.7, "v": 0.7})
    names = pool({"x": 0.3, "y": 0.9, "u": 0.7, "v": 0.7}, row={"question": "What name?", "answer_unit": ""})
    found = estimate([*numbers, *names])
    assert right(found, "x", "number") > right(found, "y", "number")
    assert right(found, "x", "text") < right(found, "y", "text")


def lesson(poll: Poll, truth: str) -> LabelledPoll:
    values = tuple(float(value == truth) for value in poll.candidates)
    return LabelledPoll(poll, Belief(values, float(not any(values)), 0.0, {"a": 1.0}))


def test_labels_correct_a_majority_that_errs_alike():
    unlabelled = [take_poll([Ballot(m, v, ("a",), NUMBER) for m, v in zip("xyz", "122", strict=True)])] * 5
    labelled = [lesson(poll, "1") for poll in unlabelled * 4]
    blind, taught = estimate(unlabelled), estimate(unlabelled, labelled)
    assert right(blind, "x") < right(blind, "y")
    assert right(taught, "x") > right(taught, "y")


def test_citing_is_learned_apart_from_answering():
    polls = [
        take_poll(
            [Ballot("x", "1", ("a",), NUMBER), Ballot("y", "1", ("a",), NUMBER), Ballot("z", "1", ("b",), NUMBER)]
        )
    ] * 12
    found = estimate(polls)
    assert found["z", "number"].cites < found["x", "number"].cites
    assert right(found, "z") == pytest.approx(right(found, "x"))


def test_blanks_are_counted_as_blanks():
    rows = [("1", "1", "is_blank"), ("2", "3", "is_blank"), ("4", "4", "4")] * 6
    found = estimate([take_poll([Ballot(m, v, (), NUMBER) for m, v in zip("xyz", row, strict=True)]) for row in rows])
    assert found["z", "number"].blank > 2 * found["x", "number"].blank


def told_pool(members, n=24):
    """Polls on which the members stray in turn, alone; only the values that others share are stated."""
    polls = []
    for number in range(n):
        votes = {member: number % len(members) != place for place, member in enumerate(members)}
        polls.append(
            take_poll([Ballot(m, "100" if s else str(900 + number), ("a",), NUMBER, s) for m, s in votes.items()])
        )
    return polls


def test_right_values_are_found_to_be_stated_more_often_without_labels():
    found = estimate(told_pool("xyzu"))["x", "number"]
    assert found.states_right > 0.8
    assert found.states_wrong < 0.6


@pytest.mark.parametrize("stated", [True, False, None])
def test_words_that_always_or_never_state_the_value_tell_nothing(stated):
    told = [take_poll([replace(ballot, stated=stated) for ballot in poll.ballots]) for poll in told_pool("xyzu")]
    found = estimate(told)["x", "number"]
    assert found.states_right == pytest.approx(found.states_wrong, abs=0.02)


def test_labels_teach_what_a_statement_is_worth():
    unlabelled = [
        take_poll([Ballot("x", "1", ("a",), NUMBER, True), Ballot("y", "2", ("a",), NUMBER, False)])
    ] * 4  # without labels nothing tells which of two is right
    blind, taught = estimate(unlabelled), estimate(unlabelled, [lesson(poll, "1") for poll in unlabelled * 4])
    assert blind["x", "number"].states_right == pytest.approx(blind["x", "number"].states_wrong)
    assert taught["x", "number"].states_right > taught["x", "number"].states_wrong


def test_no_poll_gives_no_member():
    assert estimate([]) == {}
