"""Normalising, truncating and storing rows of vectors."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from kohaku_lib.embedding.vectors import normalized, vector_matrix, vector_table
from kohaku_lib.tables import vector_schema


def test_rows_get_length_one():
    assert normalized(np.array([[3.0, 4.0]])).tolist() == [[pytest.approx(0.6), pytest.approx(0.8)]]


def test_the_cut_comes_before_the_norm():
    assert normalized(np.array([[3.0, 4.0, 100.0]]), dim=2).tolist() == [[pytest.approx(0.6), pytest.approx(0.8)]]


def test_shorter_rows_are_only_normalised():
    assert normalized(np.array([[0.0, 5.0]]), dim=8).tolist() == [[0.0, 1.0]]


def test_zero_rows_stay_zero():
    assert normalized(np.zeros((2, 3))).tolist() == [[0.0] * 3] * 2


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_row_that_is_not_finite_becomes_zero_and_the_others_stay(bad):
    assert normalized(np.array([[1.0, bad], [0.0, 2.0]])).tolist() == [[0.0, 0.0], [0.0, 1.0]]


@pytest.mark.parametrize("scale", [1e-30, 1e30])
def test_very_small_and_very_large_rows_neither_vanish_nor_overflow(scale):
    assert np.allclose(normalized(np.array([[3.0 * scale, 4.0 * scale]])), [[0.6, 0.8]])


def test_the_input_is_left_alone():
    rows = np.array([[3.0, 4.0]], dtype=np.float32)
    normalized(rows)
    assert rows.tolist() == [[3.0, 4.0]]


def test_no_rows():
    assert normalized(np.zeros((0, 4))).shape == (0, 4)


@given(arrays(np.float32, (5, 4), elements=st.floats(-1e6, 1e6, width=32)))
def test_lengths_are_one_or_zero_and_directions_are_kept(rows):
    found = normalized(rows)
    lengths = np.linalg.norm(found, axis=1)
    assert np.allclose(lengths[rows.any(axis=1)], 1.0, atol=1e-5)
    assert (lengths[~rows.any(axis=1)] == 0).all()
    assert (np.sign(found) * np.sign(rows) >= 0).all()


def test_a_table_gives_its_matrix_back():
    rows = np.arange(12, dtype=np.float32).reshape(4, 3)
    table = vector_table(["a", "b", "c", "d"], rows)
    assert table.schema.equals(vector_schema(3))
    assert np.array_equal(vector_matrix(table), rows)
    assert np.array_equal(vector_matrix(table.slice(1, 2)), rows[1:3])
    assert np.array_equal(vector_matrix(table.filter(table["norm_ok"])), rows)


def test_zero_rows_are_flagged():
    assert vector_table(["a", "b"], np.array([[0.0, 0.0], [0.0, 1.0]]))["norm_ok"].to_pylist() == [False, True]


def test_an_empty_table_has_an_empty_matrix():
    assert vector_matrix(vector_schema(3).empty_table()).shape == (0, 3)
