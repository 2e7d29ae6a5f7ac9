"""Intervals against hand-computed and published figures."""

import numpy as np
import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.evaluation.statistics.clusters import effective_clusters, resampling_units
from kohaku_lib.evaluation.statistics.intervals import (
    Interval,
    bootstrap_interval,
    few_documents,
    resampled_interval,
)

CLUSTERED = st.lists(st.tuples(st.floats(0, 1), st.sampled_from(["a", "b", "c", None])), min_size=1, max_size=20)


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


def test_every_resample_draws_as_many_clusters_as_there_are_and_all_their_rows():
    seen = []
    resampled_interval(lambda counts: seen.append(counts) or counts[:, 0], ["a", "b", "a", None], resamples=30)
    [counts] = seen
    assert counts.shape == (30, 4)
    assert (counts[:, 0] == counts[:, 2]).all()
    assert (counts[:, [0, 1, 3]].sum(axis=1) == 3).all()


def test_the_interval_leaves_out_a_fortieth_at_each_end_and_what_is_not_a_number():
    interval = resampled_interval(lambda _: np.r_[np.arange(41.0), np.nan], ["a", "b"])
    assert (interval.low, interval.high) == (1.0, 39.0)


def test_an_interval_by_document_in_numbers_worked_out_by_hand():
    # Two documents of three questions each: a resample has both, with the mean 0.5, or one of them twice, 0 or 1,
    # each in a quarter of the resamples and so beyond the fortieth that is left out.
    interval = bootstrap_interval([1.0, 1.0, 1.0, 0.0, 0.0, 0.0], list("aaabbb"))
    assert interval == Interval(0.0, 1.0, 2.0)


def test_the_mean_weighs_documents_by_their_questions():
    # "a" twice: 0; "b" twice: 1; both: 1 of 4 questions.
    found = []
    values = np.array([0.0, 0.0, 0.0, 1.0])
    resampled_interval(lambda counts: found.append(counts @ values / counts.sum(axis=1)) or found[0], list("aaab"))
    assert set(found[0].tolist()) == {0.0, 0.25, 1.0}


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20), st.integers(0, 9))
def test_one_question_per_document_gives_the_interval_of_independent_questions(values, seed):
    documents = [f"d{place}" for place in range(len(values))]
    draws = np.random.default_rng(seed).multinomial(len(values), np.full(len(values), 1 / len(values)), size=50)
    low, high = np.quantile(draws.astype(float) @ np.array(values) / len(values), [0.025, 0.975])
    for clusters in (None, documents, [None] * len(values)):
        assert bootstrap_interval(values, clusters, seed, 50) == Interval(low, high, len(values))


def test_questions_about_one_document_alone_count_as_independent_with_one_document_behind_them():
    values = [0.0, 1.0, 1.0, 0.0, 0.5]
    interval, unclustered = bootstrap_interval(values, ["a"] * 5), bootstrap_interval(values)
    assert (interval.low, interval.high) == (unclustered.low, unclustered.high)
    assert (interval.clusters, unclustered.clusters) == (1.0, 5.0)


@given(CLUSTERED)
def test_an_interval_by_document_lies_within_the_values(rows):
    values, clusters = zip(*rows, strict=True)
    interval = bootstrap_interval(values, clusters, resamples=50)
    assert min(values) - 1e-9 <= interval.low <= interval.high <= max(values) + 1e-9
    assert 1 <= interval.clusters <= len(values)


@given(st.lists(st.lists(st.floats(0, 1), min_size=1, max_size=4), min_size=2, max_size=6), st.randoms())
def test_the_order_of_the_questions_of_a_document_changes_nothing(documents, dice):
    rows = [(value, str(place)) for place, values in enumerate(documents) for value in values]
    first_ones = [(values[0], str(place)) for place, values in enumerate(documents)]
    others = [(value, str(place)) for place, values in enumerate(documents) for value in values[1:]]
    dice.shuffle(others)
    one, other = (bootstrap_interval(*zip(*order, strict=True), resamples=50) for order in (rows, first_ones + others))
    assert (one.low, one.high, one.clusters) == pytest.approx((other.low, other.high, other.clusters))


def test_only_intervals_by_document_cover_where_questions_about_one_document_are_alike():
    # Thirty documents of ten questions; half of the variance of a question is its document's.
    dice = np.random.default_rng(0)
    scores = (dice.normal(size=(2000, 30, 1)) + dice.normal(size=(2000, 30, 10))).reshape(2000, 300)
    coverage = {}
    for name, clusters in {"document": [str(place // 10) for place in range(300)], "question": [None] * 300}.items():
        drawn = []
        resampled_interval(lambda counts, drawn=drawn: drawn.append(counts) or counts[:, 0], clusters, resamples=1000)
        means = drawn[0] @ scores.T / drawn[0].sum(axis=1, keepdims=True)
        low, high = np.quantile(means, [0.025, 0.975], axis=0)
        one = bootstrap_interval(scores[0], clusters, resamples=1000)
        assert (one.low, one.high) == pytest.approx((low[0], high[0]))
        coverage[name] = np.mean((low <= 0.0) & (high >= 0.0))
    assert coverage["document"] >= 0.92
    assert coverage["question"] < 0.85


def test_the_effective_number_of_documents_in_numbers_worked_out_by_hand():
    assert effective_clusters([]) == 0.0
    assert effective_clusters(["a", "a", "b", "b", None]) == 25 / 9
    assert effective_clusters([None, None]) == effective_clusters(["", ""]) == 2.0


def test_rows_without_a_cluster_are_resampled_by_themselves():
    assert resampling_units(["a", "", None, "a", ""]).tolist() == [0, 1, 2, 0, 3]
    assert resampling_units([]).size == 0


@pytest.mark.parametrize(
    ("clusters", "warning"),
    [
        ((), ""),
        ((None,), ""),
        ((20.0, 300.0), ""),
        ((19.96,), ""),
        ((300.0, 19.9), "An interval here rests on only 19.9 documents and may be too narrow."),
        ((1.0,), "An interval here rests on only 1 document and may be too narrow."),
    ],
)
def test_fewer_than_twenty_documents_are_warned_of(clusters, warning):
    assert few_documents(Interval(0.0, 1.0, number) for number in clusters) == warning


@pytest.mark.parametrize(
    ("interval", "digits", "text"),
    [
        (Interval(0.0, 1.0), 3, "0.000 to 1.000"),
        (Interval(-0.25, 0.125), 2, "-0.25 to 0.12"),
        (Interval(0.0, 1.0, 1234.0), 1, "0.0 to 1.0, 1234 documents"),
        (Interval(0.0, 1.0, 1.04), 1, "0.0 to 1.0, 1 document"),
        (Interval(None, None), 3, ""),
        (Interval(None, 1.0), 3, ""),
        (Interval(0.0, None), 3, ""),
    ],
)
def test_an_interval_is_written_with_both_bounds_or_not_at_all(interval, digits, text):
    assert interval.text(digits) == text
