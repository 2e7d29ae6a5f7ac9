"""Runs that repeat each other."""

import pytest

from kohaku_lib.evaluation.voting.ballots import Ballot
from kohaku_lib.evaluation.voting.polls import take_poll
from kohaku_lib.evaluation.voting.reliability import contention
from kohaku_lib.evaluation.voting.run_similarity import find_shares


def polls(**values):
    names = list(values)
    columns = zip(*(values[name] for name in names), strict=True)
    return [take_poll([Ballot(name, value) for name, value in zip(names, row, strict=True)]) for row in columns]


LEADERS = {"a": "11111111", "b": "11111111", "c": "11111111"}


def test_runs_that_err_alike_share_one_vote():
    shares = find_shares(polls(**LEADERS, x="23456711", y="23456711"))
    assert shares == {"a": 1.0, "b": 1.0, "c": 1.0, "x": 0.5, "y": 0.5}


def test_runs_that_are_right_together_repeat_nobody():
    shares = find_shares(polls(**LEADERS, x="23456711", y="76543211"))
    assert set(shares.values()) == {1.0}


def test_a_few_equal_errors_are_chance():
    shares = find_shares(polls(**LEADERS, x="22221111", y="22221111"))
    assert set(shares.values()) == {1.0}


def test_similarity_between_usual_and_whole_counts_in_part():
    shares = find_shares(polls(**LEADERS, x="23456781", y="23456781"[:6] + "91"))
    similarity = 6 / 7
    assert shares["x"] == pytest.approx(1 / (1 + (similarity - 0.7) / 0.3))


def test_three_copies_count_like_one():
    shares = find_shares(polls(**LEADERS, d="11111111", x="23456711", y="23456711", z="23456711"))
    assert shares["x"] == pytest.approx(1 / 3)


def test_contention_grows_with_disagreement():
    assert [contention(poll) for poll in polls(a="111", b="112", c="123")] == pytest.approx([0, 5 / 9, 8 / 9])
