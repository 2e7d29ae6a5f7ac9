import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.retrieval.fuse import append_round_robin, minmax_fusion, reciprocal_rank_fusion, scaled
from kohaku_lib.retrieval.ranked import Ranked


def ranked(*rows, scores=None):
    return Ranked(np.array(rows, np.int64), np.array(scores or range(len(rows), 0, -1), float))


LISTS = st.lists(st.lists(st.integers(0, 20), unique=True, max_size=8).map(lambda rows: ranked(*rows)), max_size=4)


def test_weighted_reciprocal_ranks_are_summed():
    # graph 1.0, semantic 0.8, lexical 0.7 at k = 60
    fused = reciprocal_rank_fusion([ranked(1, 2), ranked(2, 3), ranked(3, 1)], [1.0, 0.8, 0.7], 60)
    expected = {1: 1.0 / 61 + 0.7 / 62, 2: 1.0 / 62 + 0.8 / 61, 3: 0.8 / 62 + 0.7 / 61}
    assert fused.rows.tolist() == [2, 1, 3]
    assert fused.scores.tolist() == pytest.approx([expected[row] for row in (2, 1, 3)])


def test_a_channel_without_results_adds_nothing():
    fused = reciprocal_rank_fusion([ranked(4, 5), ranked()], [1.0, 1.0], 30)
    assert fused.scores.tolist() == pytest.approx([1 / 31, 1 / 32])
    assert len(reciprocal_rank_fusion([ranked(), ranked()], [1.0, 1.0], 30)) == 0


def test_ties_go_to_more_channels_then_the_better_rank_then_the_smaller_row():
    # With weight 0 all sums are zero, so that only the ties decide.
    fused = reciprocal_rank_fusion([ranked(9, 8, 1), ranked(7, 1)], [0.0, 0.0], 60)
    assert fused.rows.tolist() == [1, 7, 9, 8]


@given(LISTS)
def test_rrf_is_the_plain_double_loop(lists):
    sums: dict[int, float] = {}
    for one in lists:
        for rank, row in enumerate(one.rows.tolist(), 1):
            sums[row] = sums.get(row, 0.0) + 1 / (60 + rank)
    fused = reciprocal_rank_fusion(lists, [1.0] * len(lists), 60)
    assert dict(zip(fused.rows.tolist(), fused.scores.tolist(), strict=True)) == pytest.approx(sums)
    assert (np.diff(fused.scores) <= 0).all()


def test_scores_are_scaled_per_channel_and_averaged_by_weight():
    dense = ranked(1, 2, 3, scores=[0.8, 0.6, 0.4])
    lexical = ranked(3, 2, scores=[20.0, 10.0])
    fused = minmax_fusion([dense, lexical], [0.3, 0.6])
    assert fused.rows.tolist() == [3, 1, 2]
    assert fused.scores.tolist() == pytest.approx([2 / 3, 1 / 3, 1 / 6])


@pytest.mark.parametrize(
    ("scores", "expected"), [([], []), ([3.0], [1.0]), ([2.0, 2.0], [1.0, 1.0]), ([-1.0, -3.0, -2.0], [1.0, 0.0, 0.5])]
)
def test_the_best_is_one_and_the_last_zero(scores, expected):
    assert scaled(np.array(scores)).tolist() == expected


def test_no_weight_at_all_keeps_the_nodes():
    assert minmax_fusion([ranked(2, 1)], [0.0]).rows.tolist() == [1, 2]


def test_appending_walks_the_lists_rank_by_rank():
    lists = [ranked(1, 2, 3), ranked(4, 1, 5)]
    assert append_round_robin(lists, present=[2], count=3) == [1, 4, 3]
    assert append_round_robin(lists, present=[2], count=0) == []
    assert append_round_robin([], present=[], count=3) == []


@given(LISTS, st.sets(st.integers(0, 20)), st.integers(0, 10))
def test_nothing_is_appended_twice_or_beyond_the_count(lists, present, count):
    added = append_round_robin(lists, sorted(present), count)
    new = {row for one in lists for row in one.rows.tolist()} - present
    assert len(added) == len(set(added)) == min(count, len(new))
    assert set(added) <= new
