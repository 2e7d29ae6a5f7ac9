"""Paired comparisons against hand-worked figures and scipy."""

from pathlib import Path

import numpy as np
import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.errors import InputFileError
from kohaku_lib.evaluation import compare_runs, holm_by_metric, read_rows, score_rows
from kohaku_lib.evaluation.statistics.comparison import (
    detectable_difference,
    detectable_from,
    holm_adjusted,
    permutation_p_value,
    spread_of,
)

WATTBOT = Path(__file__).resolve().parents[4] / "../shared/data/wattbot"
RUNS = ("archive-PowerEdge_qwen3b-bench", "archive-PowerEdge_qwen72b-bench")


def row(name, value, ref="['a']"):
    return {"id": name, "answer_value": value, "ref_id": ref}


def part(comparison, name="score", metric="wattbot"):
    return next(d for d in comparison.differences if (d.part, d.metric) == (name, metric))


def test_the_difference_is_second_minus_first_over_the_shared_questions():
    truth = [row("q1", "1"), row("q2", "2"), row("q3", "3")]
    first = [row("q1", "1"), row("q2", "9")]
    second = [row("q2", "2"), row("q1", "1"), row("q3", "3")]
    found = compare_runs(truth, first, second)
    assert part(found, "value").n == 2
    assert (part(found, "value").first, part(found, "value").second) == (0.5, 1.0)
    assert part(found).difference == pytest.approx(0.375)
    assert found.unpaired == ("q3",)
    flips = [flip for flip in found.flips if flip.metric == "wattbot"]
    assert [(flip.id, flip.first_value, flip.second_value) for flip in flips] == [("q2", "9", "2")]
    assert flips[0].second_score - flips[0].first_score == pytest.approx(0.75)


def test_equal_runs_differ_by_nothing():
    truth = [row("q1", "1"), row("q2", "2")]
    found = part(compare_runs(truth, truth, truth))
    assert (found.difference, found.p_value, found.detectable) == (0.0, 1.0, None)
    assert (found.interval.low, found.interval.high) == (0.0, 0.0)


def test_one_question_shows_no_detectable_difference():
    assert part(compare_runs([row("q1", "1")], [row("q1", "1")], [row("q1", "2")])).detectable is None


def test_runs_without_a_shared_question_are_refused():
    with pytest.raises(InputFileError, match="share no id"):
        compare_runs([row("q1", "1")], [row("q1", "1")], [row("q2", "1")])


def test_swapping_the_runs_turns_the_signs():
    truth = [row(f"q{i}", "1") for i in range(6)]
    worse = [row(f"q{i}", "1" if i < 4 else "0") for i in range(6)]
    there, back = part(compare_runs(truth, worse, truth)), part(compare_runs(truth, truth, worse))
    assert there.difference == -back.difference > 0
    assert there.p_value == back.p_value == 0.5  # two questions differ: 2 of the 4 ways to swap are as extreme


def test_the_exact_p_value_of_four_gains_and_one_loss():
    # Of 32 ways to sign five ones, |sum| ≥ 3 in 2 · (1 + 5) = 12.
    assert permutation_p_value(np.array([1, 1, 1, 1, -1, 0.0])) == pytest.approx(12 / 32)


def test_many_differences_are_sampled_near_the_sign_test():
    differences = np.r_[np.ones(30), -np.ones(10)]
    expected = scipy.stats.binomtest(30, 40).pvalue
    assert permutation_p_value(differences) == pytest.approx(expected, abs=0.001)


@given(st.lists(st.sampled_from([-1.0, -0.15, 0.0, 0.75, 1.0]), min_size=2, max_size=9))
def test_the_exact_p_value_is_that_of_scipy(values):
    differences = np.array(values)
    expected = scipy.stats.permutation_test(
        (differences, np.zeros_like(differences)),
        lambda a, b: np.mean(a - b),
        permutation_type="samples",
        vectorized=False,
        n_resamples=np.inf,
    ).pvalue
    assert permutation_p_value(differences) == pytest.approx(expected)


def test_the_questions_of_a_document_are_swapped_together():
    # The sums of the documents are 2, 1 and -1: of 8 ways to sign them |sum| ≥ 2 in 2 · 3 (4, 2 and 2). Then 2 of 4.
    differences = np.array([1.0, 1.0, 1.0, -1.0])
    assert permutation_p_value(differences, ["a", "a", "b", "c"]) == 6 / 8
    assert permutation_p_value(differences, ["a", "b", "a", "a"]) == 2 / 4


def test_gains_that_cancel_within_a_document_are_no_difference():
    assert permutation_p_value(np.array([1.0, -1.0, 0.5, -0.5]), ["a", "a", "b", "b"]) == 1.0


@given(
    st.lists(st.tuples(st.integers(-3, 3), st.sampled_from([*"abcdef", None])), min_size=1, max_size=9), st.randoms()
)
def test_the_order_of_the_questions_changes_no_exact_p_value(rows, dice):
    shuffled = dice.sample(rows, len(rows))
    one, other = (
        permutation_p_value(np.array([float(value) for value, _ in order]), [cluster for _, cluster in order])
        for order in (rows, shuffled)
    )
    assert one == pytest.approx(other)


@given(st.lists(st.sampled_from([-1.0, -0.15, 0.0, 0.75, 1.0]), min_size=2, max_size=30))
def test_one_question_per_document_gives_the_figures_of_independent_questions(values):
    differences, clusters = np.array(values), [f"d{place}" for place in range(len(values))]
    assert permutation_p_value(differences, clusters, 3) == permutation_p_value(differences, seed=3)
    assert (spread_of(differences, clusters) or 0.0) == pytest.approx(differences.std(ddof=1), abs=1e-9)


def test_what_can_be_detected_by_documents_of_equal_questions_is_what_their_number_can_detect():
    # Four documents of five equal questions each tell no more than four questions do.
    means = np.array([0.0, 1.0, 0.0, 1.0])
    clusters = [name for name in "abcd" for _ in range(5)]
    assert detectable_from(np.repeat(means, 5), clusters) == pytest.approx(detectable_from(means))


def test_runs_are_compared_by_document():
    truth = [row(f"q{n}", "1", f"['{'aab'[n]}']") for n in range(3)]
    wrong = [{**one, "answer_value": "2"} for one in truth]
    found = part(compare_runs(truth, wrong, truth))
    assert found.interval.clusters == pytest.approx(9 / 5)
    assert found.p_value == 0.5  # two documents, both better: 2 of the 4 ways to swap them


def test_the_column_cluster_wins_over_the_documents():
    truth = [row(f"q{n}", "1") | {"cluster": cluster} for n, cluster in enumerate(("x", "y", "z", ""))]
    wrong = [{**one, "answer_value": "2"} for one in truth]
    found = part(compare_runs(truth, wrong, truth))
    assert (found.interval.clusters, found.p_value) == (4.0, 2 / 2**4)


def test_the_detectable_difference_of_a_textbook_case():
    # Normal approximation: (1.959964 + 0.841621) · 10 / √32 = 4.9525
    assert detectable_difference(10, 32) == pytest.approx(4.9525, abs=1e-4)


def test_holm_keeps_the_order_and_never_exceeds_one():
    assert holm_adjusted([0.5, 0.001, 0.6]) == pytest.approx([1.0, 0.003, 1.0])
    assert holm_adjusted([]) == []


def test_several_runs_are_corrected_for_each_metric_over_the_runs():
    truth = [row(f"q{n}", "1") for n in range(6)]
    wrong = [row(f"q{n}", "2") for n in range(6)]
    # All of six, or of five, differences have one sign: p = 2 / 2**6 and 2 / 2**5, times 2 and 1 of the runs.
    runs = [truth[:5] + wrong[5:], truth]
    found = holm_by_metric([compare_runs(truth, wrong, rows, ["wattbot", "kohaku"]) for rows in runs])
    assert found == [{"wattbot": 1 / 16, "kohaku": 1 / 16}, {"wattbot": 1 / 16, "kohaku": 1 / 16}]
    # Three runs: 2 / 64 times 3, then 2 / 16 times 2, and no difference at all.
    runs = [wrong, truth[:4] + wrong[4:], truth]
    found = holm_by_metric([compare_runs(truth, wrong, rows, ["wattbot"]) for rows in runs])
    assert [by_metric["wattbot"] for by_metric in found] == [1.0, 1 / 4, 3 / 32]
    assert holm_by_metric([]) == []


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_holm_lies_between_the_plain_and_the_bonferroni_value(values):
    for plain, adjusted in zip(values, holm_adjusted(values), strict=True):
        assert plain <= adjusted <= min(1.0, plain * len(values)) + 1e-12


@pytest.mark.skipif(not WATTBOT.exists(), reason="the WattBot material is not at hand")
def test_two_recorded_runs_compare_as_scipy_says():
    truth = read_rows(WATTBOT / "train_QA.csv")
    runs = [read_rows(WATTBOT / "train_runs" / name / "submission.csv") for name in RUNS]
    found = part(compare_runs(truth, *runs))
    rows = [score_rows(truth, answers).rows for answers in runs]
    delta = np.array([second.score - first.score for first, second in zip(*rows, strict=True)])
    assert found.difference == pytest.approx(delta.mean())
    _, documents = np.unique([row.cluster or row.id for row in rows[0]], return_inverse=True)
    sums, sizes = np.bincount(documents, weights=delta), np.bincount(documents)
    assert found.interval.clusters == pytest.approx(sizes.sum() ** 2 / (sizes**2).sum())
    assert found.interval.clusters < len(sizes) < len(delta) == 41
    bounds = scipy.stats.bootstrap(
        (sums, sizes),
        lambda sums, sizes, axis: sums.sum(axis) / sizes.sum(axis),
        paired=True,
        method="percentile",
        n_resamples=20_000,
        rng=1,
    ).confidence_interval
    assert (found.interval.low, found.interval.high) == pytest.approx((bounds.low, bounds.high), abs=0.01)
    expected = scipy.stats.permutation_test(
        (sums, np.zeros_like(sums)), lambda a, b: np.mean(a - b), permutation_type="samples", vectorized=False, rng=1
    ).pvalue
    assert found.p_value == pytest.approx(expected, abs=0.015)


def test_equal_runs_tell_nothing_of_what_could_be_detected():
    truth = [row(f"q{number}", "1") for number in range(4)]
    comparison = compare_runs(truth, truth, truth, sizes=(41, 282))
    assert [(d.detectable, d.detectable_at) for d in comparison.differences] == [(None, {})] * len(
        comparison.differences
    )
