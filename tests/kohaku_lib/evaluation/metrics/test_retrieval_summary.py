"""Means per metric with intervals, and paired differences between two runs."""

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.errors import InputFileError
from kohaku_lib.evaluation import compare_scores, summarise
from kohaku_lib.evaluation.metrics.judgements import Judgement
from kohaku_lib.evaluation.metrics.retrieval.interface import RankedContext
from kohaku_lib.evaluation.metrics.retrieval.ndcg import score_ndcg
from kohaku_lib.tables import RETRIEVAL_SCORES


def table(**values_by_metric):
    rows = [
        {"id": f"q{n}", "metric": metric, "value": value}
        for metric, values in values_by_metric.items()
        for n, value in enumerate(values)
        if value is not None
    ]
    return pa.Table.from_pylist(rows, schema=RETRIEVAL_SCORES)


def test_a_figure_is_the_mean_over_the_questions_that_have_the_metric():
    figures = {figure.metric: figure for figure in summarise(table(mrr=[1.0, 0.5, 0.0], evidence=[None, 0.5, 0.25]))}
    assert (figures["mrr"].n, figures["mrr"].mean) == (3, 0.5)
    assert (figures["evidence"].n, figures["evidence"].mean) == (2, 0.375)
    interval = figures["mrr"].interval
    assert 0.0 <= interval.low < 0.5 < interval.high <= 1.0


def test_figures_of_some_questions_leave_out_metrics_that_these_lack():
    [figure] = summarise(table(mrr=[1.0, 0.5], evidence=[None, 0.5]), ["q0"])
    assert (figure.metric, figure.n, figure.mean) == ("mrr", 1, 1.0)


def test_differences_are_paired_by_question_and_corrected_for_the_number_of_metrics():
    first = table(mrr=[0.0, 0.0, 0.0, 0.0, 0.0, 0.0], ndcg=[0.5, 0.5, 0.5, 0.5, 0.5, 0.5])
    second = table(mrr=[1.0, 1.0, 1.0, 1.0, 1.0, 1.0], ndcg=[0.5, 0.5, 0.5, 0.5, 0.5, 1.0])
    mrr, ndcg = compare_scores(first, second)
    assert (mrr.difference, mrr.p_value, mrr.holm) == (1.0, 2 / 64, 4 / 64)
    assert (ndcg.first, ndcg.second, ndcg.p_value, ndcg.holm) == (0.5, pytest.approx(7 / 12), 1.0, 1.0)
    assert mrr.detectable is None  # every question differs by as much
    assert ndcg.detectable == pytest.approx(2.8016 * 0.204124 / 6**0.5, abs=1e-3)


def test_questions_about_one_document_are_resampled_and_swapped_together():
    clusters = pa.array(["a", "a", "a", "b", "b", None])
    first, second = (table(mrr=values).set_column(3, "cluster", clusters) for values in ([0.0] * 6, [1.0] * 6))
    [mrr] = compare_scores(table(mrr=[0.0] * 6), second)
    assert (mrr.p_value, mrr.interval.clusters) == (2 / 8, 36 / 14)
    [figure] = summarise(first)
    assert figure.interval.clusters == 36 / 14
    [figure] = summarise(first, ["q0", "q3", "q5"])
    assert figure.interval.clusters == 3.0


def test_questions_of_one_run_only_are_left_out():
    [found] = compare_scores(table(mrr=[0.5, None, 1.0]), table(mrr=[1.0, 1.0, None]))
    assert (found.n, found.difference, found.detectable) == (1, 0.5, None)


def test_runs_that_share_nothing_cannot_be_compared():
    with pytest.raises(InputFileError, match="share none"):
        compare_scores(table(mrr=[0.5]), table(ndcg=[0.5]))


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=12))
def test_swapping_the_runs_turns_the_difference_around(pairs):
    first, second = table(mrr=[a for a, _ in pairs]), table(mrr=[b for _, b in pairs])
    [there], [back] = compare_scores(first, second), compare_scores(second, first)
    assert there.difference == pytest.approx(-back.difference)
    assert there.p_value == pytest.approx(back.p_value, abs=0.02)


def ndcg(gains, ranked):
    return score_ndcg(Judgement("q1", "?", gains), RankedContext(ranked, None), 10)


def test_graded_gains_count_more_the_higher_they_stand():
    gains = {"best": 3.0, "good": 1.0}
    best_first, good_first = (ndcg(gains, order) for order in (["best", "good"], ["good", "best"]))
    assert best_first == 1.0
    assert good_first == pytest.approx((1 + 3 / 1.5849625) / (3 + 1 / 1.5849625))


def test_more_than_ten_relevant_documents_can_still_be_ranked_perfectly():
    gains = {f"d{n}": 1.0 for n in range(12)}
    assert ndcg(gains, list(gains)) == pytest.approx(1.0)
