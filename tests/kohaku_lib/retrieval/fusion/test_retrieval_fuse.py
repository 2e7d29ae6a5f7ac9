import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.retrieval.fusion.append import append_round_robin
from kohaku_lib.retrieval.fusion.fuse import bounded_fusion, fuse_by_rank, minmax_fusion, reciprocal_rank_fusion, scaled
from kohaku_lib.retrieval.fusion.scored_rows import Scale, ScoredRows
from kohaku_lib.settings import RetrievalSettings


def ranked(*rows, scores=None):
    return ScoredRows(np.array(rows, np.int64), np.array(scores or range(len(rows), 0, -1), float))


LISTS = st.lists(st.lists(st.integers(0, 20), unique=True, max_size=8).map(lambda rows: ranked(*rows)), max_size=4)


def test_weighted_reciprocal_ranks_are_summed():
    # graph 1.0, semantic 0.8, lexical 0.7 at k = 60
    fused = reciprocal_rank_fusion([ranked(1, 2), ranked(2, 3), ranked(3, 1)], [1.0, 0.8, 0.7], 60)
    expected = {1: 1.0 / 61 + 0.7 / 62, 2: 1.0 / 62 + 0.8 / 61, 3: 0.8 / 62 + 0.7 / 61}
    assert fused.rows.tolist() == [2, 1, 3]
    assert fused.scores.tolist() == pytest.approx([expected[row] for row in (2, 1, 3)])


def test_ranks_count_within_a_kind_or_within_the_channel():
    lists = {"dense": (ranked(1, scores=[0.9]), ranked(7, 8, scores=[0.8, 0.2]))}
    for rank_lists, expected in (
        ("kind", {1: 1 / 61, 7: 1 / 61, 8: 1 / 62}),
        ("channel", {1: 1 / 61, 7: 1 / 62, 8: 1 / 63}),
    ):
        fused = fuse_by_rank(lists, {"dense": 1.0}, RetrievalSettings(rank_lists=rank_lists))
        assert dict(zip(fused.rows.tolist(), fused.scores.tolist(), strict=True)) == pytest.approx(expected)


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


def on_scale(ranking, least, width):
    return ScoredRows(ranking.rows, ranking.scores, Scale(least, width))


def test_scores_count_as_shares_of_what_is_possible():
    dense = on_scale(ranked(1, 2, 3, scores=[0.8, 0.6, 0.4]), least=0.4, width=1.0)
    lexical = on_scale(ranked(3, 2, scores=[20.0, 10.0]), least=0.0, width=40.0)
    fused = bounded_fusion([dense, lexical], [0.4, 0.6])
    assert fused.rows.tolist() == [3, 2, 1]
    assert fused.scores.tolist() == pytest.approx([0.6 * 0.5, 0.4 * 0.2 + 0.6 * 0.25, 0.4 * 0.4])


def test_a_query_of_which_little_is_found_weighs_little():
    dense = on_scale(ranked(1, scores=[0.7]), least=0.4, width=1.0)
    weak, strong = (on_scale(ranked(2, scores=[score]), least=0.0, width=40.0) for score in (4.0, 30.0))
    assert bounded_fusion([dense, weak], [1.0, 1.0]).rows.tolist() == [1, 2]
    assert bounded_fusion([dense, strong], [1.0, 1.0]).rows.tolist() == [2, 1]


def test_a_channel_without_a_scale_goes_from_zero_to_one():
    fused = bounded_fusion([ranked(5, 6, scores=[9.0, 3.0]), ranked()], [1.0, 1.0])
    assert fused.scores.tolist() == [0.5, 0.0]


def test_the_head_of_a_ranking_keeps_its_scale():
    assert on_scale(ranked(1, 2), least=0.5, width=2.0).head(1).scale == Scale(0.5, 2.0)


SCORED = st.lists(st.tuples(st.integers(0, 20), st.integers(1, 50)), unique_by=lambda pair: pair[0], max_size=8)
SCALED = SCORED.map(lambda pairs: sorted(pairs, key=lambda pair: (-pair[1], pair[0]))).map(
    lambda pairs: on_scale(ranked(*(row for row, _ in pairs), scores=[float(score) for _, score in pairs]), 0.0, 64.0)
)


@pytest.mark.parametrize("fuse", [minmax_fusion, bounded_fusion, lambda lists, w: reciprocal_rank_fusion(lists, w, 60)])
@given(channels=st.lists(st.tuples(SCALED, st.sampled_from([0.25, 0.5, 1.0])), max_size=3), shift=st.integers(0, 2))
def test_the_order_of_the_channels_does_not_matter(fuse, channels, shift):
    turned = channels[shift:] + channels[:shift]
    one, other = (fuse([lists for lists, _ in each], [weight for _, weight in each]) for each in (channels, turned))
    by_row = dict(zip(other.rows.tolist(), other.scores.tolist(), strict=True))
    assert dict(zip(one.rows.tolist(), one.scores.tolist(), strict=True)) == pytest.approx(by_row)


@given(st.lists(SCALED, max_size=3))
def test_equal_shares_stand_in_row_order(channels):
    fused = bounded_fusion(channels, [1.0] * len(channels))
    pairs = list(zip((-fused.scores).tolist(), fused.rows.tolist(), strict=True))
    assert pairs == sorted(pairs)


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
