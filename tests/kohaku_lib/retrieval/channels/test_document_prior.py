"""The score of each document as a whole, and its effect on the nodes of the document."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from index_material import LIBRARY, small_snapshot

from kohaku_lib.retrieval.channels.document_prior import document_priors, lift_by_document
from kohaku_lib.retrieval.fusion.scored_rows import ScoredRows
from kohaku_lib.settings import LexicalSettings

TREE = {**LIBRARY, "oil": [[["Oil is liquid.", "Nothing purrs in a barrel of oil, oil or crude oil."]]]}


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory):
    return small_snapshot(tmp_path_factory.mktemp("prior"), TREE)


def rows_of(snapshot, document_id):
    ids = snapshot.column("document_id", snapshot.search_rows)
    return np.array([row for row, name in enumerate(ids) if name == document_id])


def test_the_best_document_has_1_and_one_without_a_word_of_the_query_0(snapshot):
    [prior] = document_priors(snapshot, ["milk for kittens"], LexicalSettings())
    cats, oil = (snapshot.search_documents[rows_of(snapshot, name)[0]] for name in ("cats", "oil"))
    assert (prior[cats], prior[oil]) == (1.0, 0.0)


def test_a_document_at_the_median_has_0_although_it_has_the_word(snapshot):
    [prior] = document_priors(snapshot, ["purrs"], LexicalSettings())  # in cats and oil, not in dogs
    assert sorted(prior.tolist()) == [0.0, 0.0, 1.0]


def test_a_query_without_a_known_word_prefers_no_document(snapshot):
    priors = document_priors(snapshot, ["zzz", ""], LexicalSettings())
    assert [prior.tolist() for prior in priors] == [[0.0, 0.0, 0.0]] * 2


def test_documents_that_are_not_allowed_have_0_and_are_not_compared(snapshot):
    allowed = np.zeros(snapshot.searched, bool)
    allowed[rows_of(snapshot, "dogs")] = allowed[rows_of(snapshot, "oil")] = True
    [prior] = document_priors(snapshot, ["cats sleep"], LexicalSettings(), allowed)
    dogs, cats = (snapshot.search_documents[rows_of(snapshot, name)[0]] for name in ("dogs", "cats"))
    assert (prior[dogs], prior[cats]) == (1.0, 0.0)  # "sleep" is in dogs too, the best of those allowed


def test_the_lift_is_the_weight_times_the_best_score_times_the_prior(snapshot):
    cats, dogs = rows_of(snapshot, "cats")[0], rows_of(snapshot, "dogs")[0]
    prior = np.zeros(3)
    prior[snapshot.search_documents[dogs]] = 0.5
    lifted = lift_by_document(snapshot, ScoredRows(np.array([cats, dogs]), np.array([0.8, 0.7])), prior, 0.5)
    assert lifted.rows.tolist() == [dogs, cats]
    assert lifted.scores == pytest.approx([0.7 + 0.5 * 0.8 * 0.5, 0.8])


def test_a_best_score_below_0_lifts_nothing(snapshot):
    ranking = ScoredRows(np.array([0, 1]), np.array([-0.1, -0.2]))
    lifted = lift_by_document(snapshot, ranking, np.ones(3), 1.0)
    assert (lifted.rows.tolist(), lifted.scores.tolist()) == ([0, 1], [-0.1, -0.2])


def test_without_weight_prior_or_nodes_the_ranking_is_unchanged(snapshot):
    ranking, empty = ScoredRows(np.array([1]), np.array([0.5])), ScoredRows(np.zeros(0, np.int64), np.zeros(0))
    assert lift_by_document(snapshot, ranking, np.ones(3), 0.0) is ranking
    assert lift_by_document(snapshot, ranking, np.zeros(0), 0.5) is ranking
    assert lift_by_document(snapshot, empty, np.ones(3), 0.5) is empty


@given(st.lists(st.floats(0, 1), min_size=3, max_size=3), st.floats(0, 1))
def test_scores_never_fall_and_stay_in_order(snapshot, prior, weight):
    rows = np.arange(snapshot.searched)
    scores = np.linspace(1.0, 0.1, len(rows))
    lifted = lift_by_document(snapshot, ScoredRows(rows, scores), np.array(prior), weight)
    assert np.all(np.diff(lifted.scores) <= 0)
    assert sorted(lifted.rows.tolist()) == rows.tolist()
    assert np.all(lifted.scores >= scores[lifted.rows])
