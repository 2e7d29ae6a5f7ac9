"""Confidence is a share between 0 and 1 that grows with what a finding has in its favour."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.answering.extractive.answerer import ExtractiveAnswerer
from kohaku_lib.answering.extractive.confidence import calibrated_confidence
from kohaku_lib.answering.extractive.finding import Finding
from kohaku_lib.tables import Question, Snippet

KINDS = ("number", "year", "claim", "name", "choice")


def _finding(score, margin=0.0):
    confidence = min(1.0, max(0.0, score / 3))
    return Finding("4", "It weighs 4 kg.", ("d",), confidence, score=score, margin=margin)


def _answer(text, question="How much does the boat of the harbour weigh?", unit="kg"):
    return ExtractiveAnswerer().answer(Question("q", question, unit), [Snippet("d:1", "d", "Boats", 1, text, 1, 1.0)])


@pytest.mark.parametrize("kind", KINDS)
def test_a_stronger_finding_is_right_no_less_often(kind):
    shares = [calibrated_confidence(kind, _finding(score)) for score in (0.0, 0.6, 1.2, 1.8, 2.4, 3.0)]
    assert all(one <= other for one, other in pairwise(shares))
    assert shares[0] < shares[-1]


@given(st.sampled_from(KINDS), st.floats(-4, 4), st.floats(-1, 4))
def test_the_share_is_a_share(kind, score, margin):
    assert 0 < calibrated_confidence(kind, _finding(score, margin)) < 1


def test_a_verdict_against_a_claim_counts_as_one_for_it():
    assert calibrated_confidence("claim", _finding(-2.0)) == calibrated_confidence("claim", _finding(2.0)) == 0.85


def test_a_rival_value_costs_confidence():
    alone = _answer("The boat of the harbour weighs 40 kg.")
    rival = _answer("The boat of the harbour weighs 40 kg. The boat of the harbour weighs 70 kg.")
    assert alone.answer_value == rival.answer_value == "40"
    assert alone.confidence > rival.confidence


def test_the_same_value_twice_is_no_rival():
    twice = _answer("The boat of the harbour weighs 40 kg. In all, the boat of the harbour weighs 40 kg.")
    assert twice.confidence == _answer("The boat of the harbour weighs 40 kg.").confidence


def test_a_blank_answer_has_no_confidence():
    assert _answer("The crew sleeps on board.", "How many moons does Jupiter have?", None).confidence == 0.0
