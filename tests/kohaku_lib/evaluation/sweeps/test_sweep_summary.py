"""Cells of a sweep against hand-worked figures."""

import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.evaluation.statistics.comparison import permutation_p_value
from kohaku_lib.evaluation.sweeps.summary import CellRun, average_ranks, question_means, summarise_cells, welch_test


def run(line, x, number, *scores):
    return CellRun(line, x, number, {f"q{at}": score for at, score in enumerate(scores)})


def test_a_cell_is_the_mean_of_its_runs_with_their_population_deviation():
    [cell] = summarise_cells([run("a", "4", 0, 1.0, 0.0), run("a", "4", 1, 1.0, 1.0)])
    assert (cell.runs, cell.mean, cell.deviation, cell.is_best) == (2, 0.75, 0.25, True)
    assert (cell.welch_p, cell.paired_p, cell.detectable, cell.mark) == (None, None, None, "")
    assert 0.5 <= cell.interval.low <= cell.interval.high <= 1.0


def test_one_run_has_no_deviation_and_no_run_no_summary():
    assert summarise_cells([run("a", "4", 0, 0.3)])[0].deviation == 0.0
    assert summarise_cells([]) == []
    assert average_ranks([]) == {}


def test_questions_about_one_document_count_together_in_intervals_and_against_the_best():
    clusters = {"q0": "a", "q1": "a", "q2": "b", "q3": "b"}
    runs = [run("best", "1", 0, 1.0, 1.0, 1.0, 1.0), run("other", "1", 0, 0.0, 0.5, 0.0, 0.5)]
    cells, alone = summarise_cells(runs, clusters), summarise_cells(runs)
    assert [cell.interval.clusters for cell in (*cells, *alone)] == [2.0, 2.0, 4.0, 4.0]
    assert (cells[1].paired_p, alone[1].paired_p) == (2 / 4, 2 / 16)
    assert (cells[1].detectable, alone[1].detectable) == (None, pytest.approx(2.8016 * 0.288675 / 2, abs=1e-3))


def test_the_best_is_the_first_of_the_highest():
    cells = summarise_cells([run("a", "4", 0, 0.5), run("a", "8", 0, 0.5), run("b", "4", 0, 0.1)])
    assert [cell.is_best for cell in cells] == [True, False, False]


def test_paired_p_values_are_holm_corrected_against_the_best():
    best, near, far = [1.0] * 6, [1.0] * 5 + [0.0], [0.0] * 6
    cells = summarise_cells([run("best", "1", 0, *best), run("near", "1", 0, *near), run("far", "1", 0, *far)])
    p_value = {cell.line: cell.paired_p for cell in cells}
    assert p_value == {"best": None, "near": 1.0, "far": pytest.approx(2 * 2 / 64)}
    assert [cell.mark for cell in cells] == ["", "", "^"]


def test_questions_that_only_one_of_them_has_are_left_out():
    cells = summarise_cells([run("best", "1", 0, 1.0, 1.0, 1.0), CellRun("other", "1", 0, {"q0": 0.0, "new": 0.9})])
    assert cells[1].paired_p == 1.0  # one shared question: both ways to swap it are as extreme
    assert cells[1].detectable is None


def test_scores_of_a_question_are_averaged_over_the_runs_that_have_it():
    assert question_means([run("a", "1", 0, 1.0, 0.0), run("a", "1", 1, 0.0)]) == {"q0": 0.5, "q1": 0.0}


def test_ranks_are_averaged_over_the_shared_x_values_and_ties_share_theirs():
    runs = [
        run("a", "4", 0, 0.9),
        run("a", "8", 0, 0.5),
        run("b", "4", 0, 0.1),
        run("b", "8", 0, 0.5),
        run("a", "16", 0, 0.0),
    ]
    assert average_ranks(summarise_cells(runs)) == {"a": 1.25, "b": 1.75}


def test_welch_needs_two_values_that_vary_on_either_side():
    assert welch_test([1.0], [1.0, 2.0]) == (None, None)
    assert welch_test([1.0, 1.0], [2.0, 2.0]) == (None, None)
    p_value, effect = welch_test([0.5, 0.7, 0.6], [0.2, 0.3])
    assert p_value == pytest.approx(scipy.stats.ttest_ind([0.5, 0.7, 0.6], [0.2, 0.3], equal_var=False).pvalue)
    assert effect == pytest.approx(0.35 / ((0.01 + 0.005) / 2) ** 0.5)


@given(st.lists(st.lists(st.sampled_from([0.0, 0.15, 1.0]), min_size=3, max_size=3), min_size=2, max_size=5))
def test_corrected_values_are_never_below_the_plain_ones(rows):
    cells = summarise_cells([run(str(at), "1", 0, *scores) for at, scores in enumerate(rows)])
    best = next(scores for cell, scores in zip(cells, rows, strict=True) if cell.is_best)
    for cell, scores in zip(cells, rows, strict=True):
        assert cell.mean <= sum(best) / 3 + 1e-12
        if not cell.is_best:
            deltas = [a - b for a, b in zip(best, scores, strict=True)]
            import numpy as np

            assert cell.paired_p >= permutation_p_value(np.array(deltas)) - 1e-12
