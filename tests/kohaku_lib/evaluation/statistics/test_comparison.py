"""Paired comparisons against hand-worked figures and scipy."""

from pathlib import Path

import numpy as np
import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.errors import InputFileError
from kohaku_lib.evaluation import compare_runs, holm_by_metric, read_rows, score_rows
from kohaku_lib.evaluation.statistics.comparison import detectable_difference, holm_adjusted, permutation_p_value

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
    scores = [np.array([score.score for score in score_rows(truth, rows).rows]) for rows in runs]
    assert found.difference == pytest.approx(scores[1].mean() - scores[0].mean())
    bounds = scipy.stats.bootstrap((scores[1] - scores[0],), np.mean, method="percentile", n_resamples=20_000, rng=1)
    assert found.interval.low == pytest.approx(bounds.confidence_interval.low, abs=0.01)
    assert found.interval.high == pytest.approx(bounds.confidence_interval.high, abs=0.01)
    expected = scipy.stats.permutation_test(
        (scores[1], scores[0]), lambda a, b: np.mean(a - b), permutation_type="samples", vectorized=False, rng=1
    ).pvalue
    assert found.p_value == pytest.approx(expected, abs=0.015)


def test_equal_runs_tell_nothing_of_what_could_be_detected():
    truth = [row(f"q{number}", "1") for number in range(4)]
    comparison = compare_runs(truth, truth, truth, sizes=(41, 282))
    assert [(d.detectable, d.detectable_at) for d in comparison.differences] == [(None, {})] * len(
        comparison.differences
    )
