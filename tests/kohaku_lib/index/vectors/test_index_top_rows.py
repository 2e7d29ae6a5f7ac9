"""Partial top-k against a full sort."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from kohaku_lib.index.vectors import top_rows as module
from kohaku_lib.index.vectors.top_rows import TopRows, merge, top_rows

SCORES = arrays.arrays(
    np.float32,
    st.tuples(st.integers(1, 4), st.integers(1, 90)),
    elements=st.sampled_from([-1.0, -0.5, 0.0, 0.25, 0.5, 1.0, -np.inf]),  # many ties
)


def oracle(scores, k, span, allowed):
    """The rows of each query by (score, row), one at a time."""
    found = []
    for own in scores:
        rows = [row for row in span if own[row] > -np.inf and (allowed is None or allowed[row])]
        found.append(sorted(rows, key=lambda row, own=own: (-own[row], row))[:k])
    return found


def rows_found(top):
    return [[row for row in own if row >= 0] for own in top.rows.tolist()]


@given(SCORES, st.integers(1, 30), st.data())
def test_the_best_allowed_rows_come_in_the_order_of_scores_then_rows(scores, k, data):
    count = scores.shape[1]
    low = data.draw(st.integers(0, count))
    span = range(low, data.draw(st.integers(low, count)))
    allowed = data.draw(st.none() | arrays.arrays(bool, count))
    found = top_rows(lambda a, b: scores[:, a:b].copy(), len(scores), k, span, allowed)
    assert rows_found(found) == oracle(scores, k, span, allowed)
    assert found.rows.shape == (len(scores), min(k, len(span)))
    for own, rows, values in zip(scores, found.rows, found.scores, strict=True):
        assert values[rows >= 0].tolist() == own[rows[rows >= 0]].tolist()
        assert set(values[rows < 0].tolist()) <= {-np.inf}


@pytest.mark.parametrize("k", [1, 7, 100, 600, 5000])
@pytest.mark.parametrize("queries", [1, 3])
def test_many_tiles_give_what_one_sort_gives(k, queries, monkeypatch):
    monkeypatch.setattr(module, "TILE_SCORES", 3000)  # tiles of 2,048 rows
    scores = np.round(np.random.default_rng(k).normal(size=(queries, 9000)).astype(np.float32), 2)
    found = top_rows(lambda a, b: scores[:, a:b].copy(), queries, k, range(9000))
    expected = np.argsort(-scores, axis=1, kind="stable")[:, :k]
    assert np.array_equal(found.rows, expected)


def test_a_tile_without_an_allowed_row_is_never_scored_and_others_are_trimmed(monkeypatch):
    monkeypatch.setattr(module, "TILE_SCORES", 1)
    scores, asked = np.ones((1, 3 * module.LEAST_ROWS), np.float32), []
    allowed = np.zeros(scores.shape[1], bool)
    allowed[[module.LEAST_ROWS + 5, module.LEAST_ROWS + 9]] = True

    def tile(low, high):
        asked.append((low - module.LEAST_ROWS, high - module.LEAST_ROWS))
        return scores[:, low:high].copy()

    found = top_rows(tile, 1, 5, range(scores.shape[1]), allowed)
    assert asked == [(5, 10)]
    assert rows_found(found) == [[module.LEAST_ROWS + 5, module.LEAST_ROWS + 9]]


def test_a_tile_of_equal_scores_gives_the_first_rows():
    found = top_rows(lambda low, high: np.zeros((2, high - low), np.float32), 2, 3, range(10, 20_000))
    assert found.rows.tolist() == [[10, 11, 12]] * 2


def test_a_query_that_is_no_number_finds_nothing():
    scores = np.array([[np.nan] * 5000, [0.5] * 5000], np.float32)
    assert rows_found(top_rows(lambda low, high: scores[:, low:high].copy(), 2, 2, range(5000))) == [[], [0, 1]]


def test_no_queries_no_rows_or_no_k_give_an_empty_result():
    for queries, k, span in ((0, 3, range(5)), (2, 3, range(4, 4)), (2, 0, range(5))):
        found = top_rows(lambda low, high: pytest.fail("nothing to score"), queries, k, span)
        assert found.rows.shape == (queries, min(k, len(span)))


def test_merging_keeps_the_first_among_equals():
    first = TopRows(np.array([[3, -1]]), np.array([[0.5, -np.inf]], np.float32))
    second = TopRows(np.array([[7, 9]]), np.array([[0.5, 0.1]], np.float32))
    assert merge(first, second).rows.tolist() == [[3, 7]]
