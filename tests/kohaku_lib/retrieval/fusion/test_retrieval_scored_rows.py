import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.retrieval.fusion.scored_rows import ScoredRows, by_kind, top_ranked

SCORES = st.lists(st.sampled_from([-np.inf, -1.0, 0.0, 0.25, 0.5, 1.0]), max_size=300).map(np.array)


@given(SCORES, st.integers(0, 40))
def test_the_best_k_are_those_of_a_full_stable_sort(scores, k):
    found = top_ranked(scores, k)
    order = [row for row in np.argsort(-scores, kind="stable").tolist() if scores[row] > -np.inf]
    assert found.rows.tolist() == order[:k]
    assert found.scores.tolist() == scores[order[:k]].tolist()


@given(st.integers(1, 2000), st.integers(1, 30), st.integers(0, 10))
def test_the_block_bound_loses_nothing_on_long_arrays(n, k, seed):
    scores = np.random.default_rng(seed).random(n, np.float32)
    assert top_ranked(scores, k).rows.tolist() == np.argsort(-scores, kind="stable")[:k].tolist()


@given(SCORES, st.integers(1, 10))
def test_nothing_at_or_below_the_least_score_is_returned(scores, k):
    assert (top_ranked(scores, k, above=0.25).scores > 0.25).all()


def test_sentences_and_paragraphs_get_k_places_each():
    sentences, paragraphs = by_kind(np.array([0.9, 0.8, 0.7, 0.1, 0.2]), sentences=3, k=2)
    assert (sentences.rows.tolist(), paragraphs.rows.tolist()) == ([0, 1], [4, 3])


def test_the_head_of_a_ranking_keeps_its_order():
    ranked = ScoredRows(np.array([3, 1, 2]), np.array([0.3, 0.2, 0.1]))
    assert (len(ranked), ranked.head(2).rows.tolist(), ranked.head(9).scores.tolist()) == (3, [3, 1], [0.3, 0.2, 0.1])
