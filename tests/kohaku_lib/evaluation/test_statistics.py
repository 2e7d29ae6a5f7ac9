"""Intervals against hand-computed and published figures."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.evaluation.statistics import bootstrap_interval, resample_counts, wilson_interval


def test_wilson_interval_of_a_published_example():
    interval = wilson_interval(81, 263)  # Newcombe (1998), table I: 0.2553 to 0.3662
    assert (interval.low, interval.high) == pytest.approx((0.2553, 0.3662), abs=5e-5)


def test_wilson_interval_at_the_edges_stays_within_zero_and_one():
    assert wilson_interval(0, 20).low == 0.0
    assert wilson_interval(0, 20).high == pytest.approx(0.1611, abs=5e-5)
    assert wilson_interval(20, 20).high == 1.0
    assert wilson_interval(0, 0).low is None


def test_bootstrap_interval_nears_the_normal_one():
    values = np.arange(400) % 2
    interval = bootstrap_interval(values)
    assert (interval.low, interval.high) == pytest.approx((0.5 - 1.96 * 0.025, 0.5 + 1.96 * 0.025), abs=0.006)


def test_bootstrap_interval_depends_on_the_seed_alone():
    values = [0.0, 1.0, 1.0, 0.0, 0.5]
    assert bootstrap_interval(values, seed=3) == bootstrap_interval(values, seed=3)
    assert bootstrap_interval([]).high is None


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_bootstrap_interval_lies_within_the_values(values):
    interval = bootstrap_interval(values, resamples=50)
    assert interval.low is not None
    assert interval.high is not None
    assert min(values) - 1e-9 <= interval.low <= interval.high <= max(values) + 1e-9


def test_every_resample_draws_as_many_rows_as_there_are():
    assert (resample_counts(7, 0, 30).sum(axis=1) == 7).all()
