"""Clusters of bounded size: every row in one, near ones together."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from kohaku_lib.index.raptor.clustering import clusters_of

POINTS = arrays(np.float64, st.tuples(st.integers(1, 40), st.integers(1, 4)), elements=st.integers(-3, 3).map(float))


@given(POINTS, st.integers(1, 7))
def test_every_row_is_in_one_cluster_of_at_most_the_size_asked_for(points, most):
    clusters = clusters_of(points, most)
    assert sorted(row for rows in clusters for row in rows.tolist()) == list(range(len(points)))
    assert max(map(len, clusters)) <= most
    assert [rows.tolist() for rows in clusters] == [rows.tolist() for rows in clusters_of(points, most)]


def test_rows_about_one_point_stay_together():
    centres = np.eye(4)[[0, 1, 2, 3, 3, 2, 1, 0]] + np.random.default_rng(0).normal(0, 0.01, (8, 4))
    assert [rows.tolist() for rows in clusters_of(centres, 2)] == [[0, 7], [1, 6], [2, 5], [3, 4]]


def test_equal_rows_are_divided_all_the_same():
    assert sorted(len(rows) for rows in clusters_of(np.ones((9, 3)), 4)) == [2, 3, 4]


def test_no_rows_are_no_cluster():
    assert clusters_of(np.zeros((0, 3)), 4) == []
