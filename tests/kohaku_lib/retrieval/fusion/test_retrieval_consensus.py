import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.retrieval.fusion.consensus import count_votes
from kohaku_lib.retrieval.fusion.interface import CONSENSUS
from kohaku_lib.retrieval.fusion.scored_rows import ScoredRows
from kohaku_lib.settings import RetrievalSettings


def ranked(scores):
    return ScoredRows(np.array(list(scores), np.int64), np.array(list(scores.values()), float))


def consensus(rankings, strategy, **options):
    settings = RetrievalSettings(consensus=strategy, **options)
    return CONSENSUS.get(strategy).rank(rankings, [1.0] * len(rankings), settings)


# Node 2 is found by all three queries with middling scores, node 1 by one with the best score.
THREE = [ranked({1: 0.9, 2: 0.4}), ranked({3: 0.8, 2: 0.5}), ranked({2: 0.3, 3: 0.2})]


def order(strategy, rankings=THREE, **options):
    found = consensus(rankings, strategy, **options)
    return found.rows.tolist(), found.scores.round(6).tolist()


def test_frequency_beats_score():
    assert order("frequency") == ([2, 3, 1], [3.0, 2.0, 1.0])


def test_score_sums_over_the_queries():
    assert order("score") == ([2, 3, 1], [1.2, 1.0, 0.9])


def test_combined_weighs_both():
    rows, scores = order("combined")
    assert rows == [2, 3, 1]
    assert scores == pytest.approx([1.0, 0.4 * 2 / 3 + 0.6 * 1.0 / 1.2, 0.4 / 3 + 0.6 * 0.9 / 1.2], abs=1e-6)


def test_none_keeps_the_order_of_the_queries_and_their_first_scores():
    assert order("none") == ([1, 2, 3], [0.9, 0.4, 0.8])


def test_only_none_can_keep_repeated_nodes():
    assert order("none", deduplicate=False)[0] == [1, 2, 3, 2, 2, 3]
    assert order("score", deduplicate=False) == order("score")


def test_deduplicating_first_makes_every_frequency_one():
    rows, scores = order("combined", dedup_first=True)
    assert rows == [1, 3, 2]
    assert scores == pytest.approx([1.0, 0.4 + 0.6 * 0.8 / 0.9, 0.4 + 0.6 * 0.4 / 0.9], abs=1e-6)
    assert order("frequency", dedup_first=True)[1] == [1.0, 1.0, 1.0]


def test_deduplicating_first_needs_deduplication():
    assert order("frequency", dedup_first=True, deduplicate=False) == order("frequency")


def test_the_floors_keep_small_and_negative_sums_apart():
    rows, scores = order("combined", [ranked({1: 0.0005, 2: -0.2})])
    assert rows == [1, 2]
    assert scores == pytest.approx([0.4 + 0.6 * 0.5, 0.4])


def test_ties_go_to_the_larger_best_score_then_to_the_earlier_appearance():
    assert order("score", [ranked({5: 0.5, 6: 0.25, 4: 0.5}), ranked({6: 0.25})])[0] == [5, 4, 6]
    assert order("frequency", [ranked({5: 0.4, 6: 0.4})])[0] == [5, 6]


def test_a_query_of_less_weight_adds_less_to_everything():
    votes = count_votes(THREE, [1.0, 0.5, 0.0])
    by_row = {row: k for k, row in enumerate(votes.rows.tolist())}
    assert votes.frequency[by_row[2]] == 1.5
    assert votes.total[by_row[2]] == pytest.approx(0.4 + 0.25)
    assert votes.best[by_row[3]] == pytest.approx(0.4)


@given(
    st.lists(st.dictionaries(st.integers(0, 9), st.floats(-1, 1), max_size=6), max_size=4),
    st.sampled_from(["frequency", "score", "combined", "none"]),
)
def test_every_node_is_ranked_once_and_votes_are_sums(found, strategy):
    rankings = [ranked(one) for one in found]
    result = consensus(rankings, strategy)
    assert sorted(result.rows.tolist()) == sorted({row for one in found for row in one})
    votes = count_votes(rankings)
    for row, frequency, total in zip(votes.rows.tolist(), votes.frequency, votes.total, strict=True):
        scores = [one[row] for one in found if row in one]
        assert (frequency, total) == (len(scores), pytest.approx(sum(scores)))


def test_no_query_gives_no_node():
    assert [len(consensus([], strategy)) for strategy in ("frequency", "score", "combined", "none")] == [0] * 4
