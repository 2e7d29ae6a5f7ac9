"""Fitted probabilities: between zero and one, free of scale, and never fitted on the answer itself."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kohaku_lib.evaluation.abstention.recalibration import brier_score, cross_fitted

LABELS = st.lists(st.booleans(), min_size=4, max_size=30)


def ids(number):
    return [f"q{place}" for place in range(number)]


@settings(deadline=None)
@given(LABELS, st.integers(0, 99))
def test_every_answer_gets_a_probability(right, seed):
    signals = np.random.default_rng(seed).normal(size=(len(right), 2))
    chances = cross_fitted(ids(len(right)), right, signals)
    assert chances.shape == (len(right),)
    assert ((chances > 0.0) & (chances < 1.0)).all()


@settings(deadline=None)
@given(LABELS, st.integers(0, 99), st.floats(0.01, 100), st.floats(-50, 50))
def test_neither_the_scale_nor_the_origin_of_a_signal_matters(right, seed, scale, origin):
    signals = np.random.default_rng(seed).normal(size=(len(right), 1))
    plain = cross_fitted(ids(len(right)), right, signals)
    assert cross_fitted(ids(len(right)), right, signals * scale + origin) == pytest.approx(plain, abs=1e-5)


def test_the_order_of_the_answers_does_not_matter():
    generator = np.random.default_rng(3)
    signals, right = generator.normal(size=(20, 1)), (generator.random(20) < 0.6).tolist()
    order = generator.permutation(20)
    names = ids(20)
    shuffled = cross_fitted([names[place] for place in order], [right[place] for place in order], signals[order])
    assert shuffled == pytest.approx(cross_fitted(names, right, signals)[order], abs=1e-9)


def test_an_answer_has_no_say_in_its_own_probability():
    right = [place % 3 > 0 for place in range(12)]
    signals = np.arange(12.0)[:, None]
    flipped = [not right[0], *right[1:]]
    assert cross_fitted(ids(12), right, signals)[0] == cross_fitted(ids(12), flipped, signals)[0]
    assert cross_fitted(ids(12), right, signals)[1] != cross_fitted(ids(12), flipped, signals)[1]


def test_a_signal_that_orders_the_answers_orders_the_probabilities():
    right = [False] * 15 + [True] * 15
    chances = cross_fitted(ids(30), right, np.arange(30.0)[:, None])
    assert chances[:15].max() < chances[15:].min()


def test_extreme_stated_probabilities_end_in_a_finite_fit():
    stated = np.array([1.0, 0.0] * 20)
    chances = cross_fitted(ids(40), [False, True] * 20, np.empty((40, 0)), stated)
    assert np.isfinite(chances).all()
    assert (chances[::2] < chances[1::2]).all()  # stated the wrong way round in every case


def test_a_constant_signal_adds_nothing():
    right = [place % 2 == 0 for place in range(20)]
    stated = np.linspace(0.1, 0.9, 20)
    plain = cross_fitted(ids(20), right, np.empty((20, 0)), stated)
    assert cross_fitted(ids(20), right, np.full((20, 1), 7.0), stated) == pytest.approx(plain, abs=1e-9)


@pytest.mark.parametrize(
    ("chances", "right", "score"),
    [([1.0, 0.0], [True, False], 0.0), ([0.5] * 4, [True, False, True, True], 0.25), ([0.0, 1.0], [True, False], 1.0)],
)
def test_the_brier_score_is_the_mean_squared_error(chances, right, score):
    assert brier_score(chances, right) == score
