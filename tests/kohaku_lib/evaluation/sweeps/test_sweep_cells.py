"""Cells of sweeps over two settings and over more, all of them or drawn."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.evaluation import cells_of
from kohaku_lib.settings import SweepSettings


def sweep(**more):
    told = {
        "line": "retrieval.consensus",
        "line_values": ("score", "none"),
        "x": "retrieval.top_k",
        "x_values": (4, 8, 16),
    }
    return SweepSettings.model_validate(told | more)


def test_further_settings_make_lines_of_their_own():
    cells = cells_of("s", sweep(also={"retrieval.spelling": (True, False), "answer.max_retries": (0,)}, runs=1))
    assert len(cells) == 2 * 2 * 3
    assert [cell.line for cell in cells[::3]] == [
        "score, true, 0",
        "score, false, 0",
        "none, true, 0",
        "none, false, 0",
    ]
    assert cells[0].overrides == (
        "ensemble.runs=1",
        "retrieval.consensus=score",
        "retrieval.spelling=true",
        "answer.max_retries=0",
        "retrieval.top_k=4",
    )


@pytest.mark.parametrize(
    ("search", "samples", "cells"),
    [
        ("grid", None, 60),
        ("grid", 5, 60),
        ("random", None, 8),
        ("random", 5, 5),
        ("halving", None, 60),
        ("halving", 5, 5),
    ],
)
def test_how_many_cells_each_search_has(search, samples, cells):
    found = cells_of("s", sweep(x_values=tuple(range(1, 31)), search=search, samples=samples))
    assert len(found) == cells


@given(st.integers(1, 12), st.integers(0, 5))
def test_a_draw_is_a_part_of_the_grid_in_its_order_and_repeats_itself(samples, seed):
    grid = cells_of("s", sweep(also={"answer.max_retries": (0, 1)}))
    drawn = cells_of("s", sweep(also={"answer.max_retries": (0, 1)}, search="random", samples=samples, seed=seed))
    places = [grid.index(cell) for cell in drawn]
    assert places == sorted(set(places))
    assert len(drawn) == samples
    assert drawn == cells_of(
        "s", sweep(also={"answer.max_retries": (0, 1)}, search="random", samples=samples, seed=seed)
    )
