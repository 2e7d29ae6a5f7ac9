"""Intervals against hand-computed and published figures."""

import numpy as np
import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.evaluation.statistics.intervals import (
    Interval,
    bootstrap_interval,
    percentile_interval,
    resample_counts,
)


def test_bootstrap_interval_nears_the_normal_one():
    values = np.arange(400) % 2
    interval = bootstrap_interval(values)
    assert (interval.low, interval.high) == pytest.approx((0.5 - 1.96 * 0.025, 0.5 + 1.96 * 0.025), abs=0.006)


@pytest.mark.parametrize("shape", [(2.0, 5.0), (0.5, 0.5)])
def test_bootstrap_interval_equals_that_of_scipy_but_for_the_draw(shape):
    values = np.random.default_rng(1).beta(*shape, size=60)
    ours = bootstrap_interval(values, resamples=20_000)
    found = scipy.stats.bootstrap(
        (values,), np.mean, n_resamples=20_000, method="percentile", rng=np.random.default_rng(2)
    )
    assert (ours.low, ours.high) == pytest.approx(tuple(found.confidence_interval), abs=0.004)


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


def test_the_percentile_interval_leaves_out_a_fortieth_at_each_end():
    interval = percentile_interval(np.arange(41.0))
    assert (interval.low, interval.high) == (1.0, 39.0)


@pytest.mark.parametrize(
    ("interval", "digits", "text"),
    [
        (Interval(0.0, 1.0), 3, "0.000 to 1.000"),
        (Interval(-0.25, 0.125), 2, "-0.25 to 0.12"),
        (Interval(None, None), 3, ""),
        (Interval(None, 1.0), 3, ""),
        (Interval(0.0, None), 3, ""),
    ],
)
def test_an_interval_is_written_with_both_bounds_or_not_at_all(interval, digits, text):
    assert interval.text(digits) == text
