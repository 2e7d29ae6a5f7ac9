"""Successive halving: nested rungs without held-out questions, the better cells go on, and little quality is lost."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.evaluation.sweeps.halving import question_rungs, survivors
from kohaku_lib.evaluation.sweeps.held_out import is_held_out
from kohaku_lib.evaluation.sweeps.summary import CellRun
from kohaku_lib.settings import SweepSettings

IDS = [f"q{number:03}" for number in range(41)]


def sweep(**more):
    return SweepSettings(line="a", line_values=(1,), x="b", x_values=(1,), **more)


def runs_of(scores):
    """One run per row of `scores`, (cells, questions)."""
    return [
        CellRun("line", str(cell), 0, {f"q{place}": float(score) for place, score in enumerate(row)})
        for cell, row in enumerate(scores)
    ]


@given(st.integers(1, 200), st.integers(2, 5), st.integers(1, 30), st.sampled_from([0.0, 0.3, 0.9]), st.integers(0, 3))
def test_rungs_are_nested_in_order_and_grow_by_eta(number, eta, least, held_out, seed):
    ids = [f"q{place}" for place in range(number)]
    rungs = question_rungs(ids, sweep(eta=eta, least_questions=least, held_out=held_out, seed=seed))
    for smaller, larger in itertools.pairwise(rungs):
        assert set(smaller) < set(larger)
        assert len(smaller) == len(larger) // eta >= least
    assert list(rungs[-1]) == [name for name in ids if name in set(rungs[-1])]


def test_held_out_questions_choose_nothing():
    rungs = question_rungs(IDS, sweep(held_out=0.3))
    apart = {name for name in IDS if is_held_out(name, 0.3)}
    assert apart
    assert not apart & set(rungs[-1])
    assert apart | set(rungs[-1]) == set(IDS)


def test_where_all_would_be_held_out_all_choose():
    assert question_rungs(["q1"], sweep(held_out=0.999)) == [("q1",)]


def test_another_seed_draws_other_questions():
    first, other = (question_rungs(IDS, sweep(seed=seed))[0] for seed in (0, 1))
    assert len(first) == len(other)
    assert first != other
    assert first == question_rungs(IDS, sweep())[0]


def test_few_questions_make_one_rung():
    assert len(question_rungs(IDS[:15], sweep(eta=3, least_questions=8))) == 1


@pytest.mark.parametrize(("cells", "eta", "kept"), [(9, 3, 3), (10, 3, 4), (2, 3, 1), (1, 2, 1)])
def test_one_in_eta_goes_on_and_one_at_least(cells, eta, kept):
    assert len(survivors(runs_of(np.eye(cells)), eta)) == kept


def test_the_best_go_on_and_the_earlier_of_equals():
    found = survivors(runs_of([[0, 1], [1, 1], [1, 0], [0, 0]]), 2)
    assert found == [("line", "0"), ("line", "1")]


def test_no_run_leaves_no_cell():
    assert survivors([], 3) == []


def test_halving_finds_nearly_what_the_grid_finds():
    """36 cells of known quality over 282 questions: the loss of the winner is below half a point on average."""
    draw = np.random.default_rng(0)
    quality = np.linspace(0.5, 0.75, 36)
    losses = []
    for seed in range(20):
        order = draw.permutation(36)
        scores = (draw.random((36, 282)) < quality[order][:, None]).astype(float)
        left = list(range(36))
        rungs = question_rungs(
            [f"q{place}" for place in range(282)], sweep(held_out=0.0, seed=seed, least_questions=20)
        )
        for rung in rungs:
            columns = [int(name[1:]) for name in rung]
            kept = survivors(runs_of(scores[left][:, columns]), 3)
            left = [left[int(x)] for _, x in kept]
        won = max(left, key=lambda cell: scores[cell].mean())
        losses.append(quality.max() - quality[order][won])
        grid = int(scores.mean(axis=1).argmax())
        losses[-1] -= quality.max() - quality[order][grid]
    assert np.mean(losses) < 0.005
