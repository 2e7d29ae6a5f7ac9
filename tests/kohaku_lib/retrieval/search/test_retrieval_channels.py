"""Dense and lexical search over a small index, and the evidence that sentences and paragraphs share."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from index_material import LIBRARY, WORDS, nodes_table, small_snapshot, vectors_table, word_vectors

from kohaku_lib.retrieval.channels.dense import dense_search
from kohaku_lib.retrieval.channels.document_prior import document_priors, lift_by_document
from kohaku_lib.retrieval.channels.interface import Search
from kohaku_lib.retrieval.channels.lexical import lexical_search
from kohaku_lib.retrieval.fusion.rank import share_evidence
from kohaku_lib.retrieval.fusion.scored_rows import ScoredRows
from kohaku_lib.retrieval.search.search_channels import search_channels
from kohaku_lib.settings import LexicalSettings, RetrievalSettings


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    return small_snapshot(tmp_path_factory.mktemp("library"))


@pytest.fixture(scope="module")
def with_full(tmp_path_factory):
    """An index with direct paragraph vectors: those of the paragraph's own text."""
    nodes = nodes_table(LIBRARY)
    full = vectors_table(nodes.filter(pa.compute.equal(nodes.column("kind"), "paragraph")))
    return small_snapshot(tmp_path_factory.mktemp("full"), paragraph_vectors=full)


def ids(snapshot, ranked):
    return snapshot.column("node_id", snapshot.search_rows[ranked.rows])


def test_the_nearest_sentences_and_paragraphs_are_found(library):
    [(sentences, paragraphs)] = dense_search(library, word_vectors(["kitten milk"]), k=2)
    assert ids(library, sentences)[0] == "cats:sec1:p2:s1"
    assert sentences.scores[0] == pytest.approx(1.0)
    assert ids(library, paragraphs)[0] == "cats:sec1:p2"
    assert (len(sentences), len(paragraphs)) == (2, 2)


def test_k_counts_after_the_kinds_are_filtered(library):
    # Sections and documents are near, too, yet k sentences and k paragraphs come back.
    [(sentences, paragraphs)] = dense_search(library, word_vectors(["cat dog"]), k=5)
    kinds = library.column("kind", library.search_rows[np.concatenate([sentences.rows, paragraphs.rows])])
    assert kinds == ["sentence"] * 5 + ["paragraph"] * 5


def test_many_queries_give_what_each_gives_alone(library):
    queries = word_vectors([f"{first} {second}" for first in WORDS for second in WORDS] * 3)
    together = dense_search(library, queries, k=4)
    for query, pair in list(zip(queries, together, strict=True))[::37]:
        [alone] = dense_search(library, query[None], k=4)
        assert [one.rows.tolist() for one in alone] == [one.rows.tolist() for one in pair]


def test_a_threshold_drops_far_results_but_never_the_best(library):
    query = word_vectors(["cat"])
    [(sentences, paragraphs)] = dense_search(library, query, k=9, threshold=0.5)
    assert min(sentences.scores.min(), paragraphs.scores.min()) >= 0.5
    [(sentences, paragraphs)] = dense_search(library, query, k=9, threshold=1.0)
    assert len(sentences) + len(paragraphs) == 1


def test_a_zero_vector_is_never_returned(tmp_path):
    snapshot = small_snapshot(tmp_path, {"d": [[["Cats sleep.", "Nothing known here."]]]})
    [(sentences, _)] = dense_search(snapshot, word_vectors(["cat"]), k=9)
    assert ids(snapshot, sentences) == ["d:sec1:p1:s1"]


def test_direct_paragraph_vectors_are_searched_when_asked_for(with_full):
    query = word_vectors(["sleep"])
    paragraph = with_full.search_row_of_node[with_full.row_of("dogs:sec1:p1")]
    # Averaged: mean of (dog, bark) and (dog, sleep, hour), each normalised. Full: dog twice, bark, sleep, hour.
    sentences = np.array([[1, 0, 0, 1], [1, 1, 1, 0]]) / np.sqrt([[2], [3]])  # dog, sleep, hour, bark
    mean = sentences.mean(axis=0)
    averaged, full = mean[1] / np.linalg.norm(mean), 1 / np.sqrt(4 + 1 + 1 + 1)
    found = {}
    for mode in ("averaged", "full", "both"):
        [(_, paragraphs)] = dense_search(with_full, query, k=9, mode=mode)
        assert len(set(paragraphs.rows.tolist())) == len(paragraphs)
        found[mode] = dict(zip(paragraphs.rows.tolist(), paragraphs.scores.tolist(), strict=True))[paragraph]
    assert found == pytest.approx({"averaged": averaged, "full": full, "both": max(averaged, full)}, abs=1e-6)


def test_without_direct_vectors_the_averaged_ones_are_searched(library):
    query = word_vectors(["sleep"])
    [(_, full)], [(_, averaged)] = (dense_search(library, query, k=9, mode=mode) for mode in ("full", "averaged"))
    assert full.rows.tolist() == averaged.rows.tolist()


def test_words_are_found_in_sentences_and_paragraphs(library):
    found = lexical_search(library, ["milk for kittens", "xylophone", "the"], 5, LexicalSettings())
    assert [ids(library, ranked) for ranked in found[0]] == [["cats:sec1:p2:s1"], ["cats:sec1:p2"]]
    assert [len(ranked) for pair in found[1:] for ranked in pair] == [0, 0, 0, 0]


def test_the_scores_of_words_come_with_the_most_that_is_possible(library):
    [kinds] = lexical_search(library, ["milk for xylophones"], 5, LexicalSettings())
    # One of 8 sentences and one of 5 paragraphs has "milk"; no text has the other word.
    expected = [np.log(1 + (texts - 1 + 0.5) / 1.5) for texts in (8, 5)]
    assert [ranked.scale.width for ranked in kinds] == pytest.approx(expected)
    assert [ranked.scale.least for ranked in kinds] == [0.0, 0.0]
    [(full, _)] = lexical_search(library, ["sleep"], 2, LexicalSettings())
    assert full.scale.least == full.scores[1] > 0
    [(nothing, _)] = lexical_search(library, ["xylophone"], 2, LexicalSettings())
    assert nothing.scale.width == 0.0


def test_cosines_count_from_the_last_that_was_found(library):
    [(sentences, _)] = dense_search(library, word_vectors(["sleep"]), k=3)
    assert (sentences.scale.least, sentences.scale.width) == (sentences.scores[2], 1.0)


def found_lists(snapshot, vectors, settings):
    [found] = search_channels(Search(snapshot, ["milk"], vectors, 5, settings, LexicalSettings())).rankings
    return {name: [len(ranked) for ranked in lists] for name, lists in found.lists.items()}


@pytest.mark.parametrize("fusion", ["rrf", "weighted_rrf", "minmax", "bounded"])
def test_a_channel_without_weight_is_not_searched(library, fusion):
    settings = RetrievalSettings(fusion=fusion, dense_weight=0.0, lexical_weight=0.7)
    assert found_lists(library, np.full((1, len(WORDS)), np.nan), settings) == {"lexical": [1, 1], "graph": [0, 0]}
    settings = RetrievalSettings(fusion=fusion, lexical_weight=0.0, graph_weight=0.0)
    assert list(found_lists(library, word_vectors(["milk"]), settings)) == ["dense"]


def test_an_empty_index_gives_nothing(tmp_path):
    found = found_lists(small_snapshot(tmp_path, {}), word_vectors(["cat"]), RetrievalSettings(threshold=0.2))
    assert found == {"dense": [0, 0], "lexical": [0, 0], "graph": [0, 0]}


def test_a_paragraph_stands_with_its_best_sentence(library):
    # Rows 0 and 1 are the sentences of paragraph 8, row 2 that of paragraph 9; row 12 has no ranked sentence.
    ranked = ScoredRows(np.array([0, 8, 12, 2, 1]), np.array([1.0, 0.6, 0.5, 0.4, 0.2]))
    shared = share_evidence(library, ranked, 0.25)
    assert shared.rows.tolist() == [0, 8, 1, 12, 2, 9]
    assert shared.scores.tolist() == pytest.approx([0.7, 0.7, 0.5, 0.375, 0.1, 0.1])


def test_no_share_leaves_the_ranking_alone(library):
    ranked = ScoredRows(np.array([3, 9]), np.array([0.5, 0.4]))
    assert share_evidence(library, ranked, 0.0) is ranked
    assert len(share_evidence(library, ScoredRows(np.empty(0, np.int64), np.empty(0)), 0.5)) == 0


@given(st.dictionaries(st.integers(0, 12), st.floats(0, 1), max_size=13), st.floats(0.01, 1))
def test_no_node_is_lost_and_the_order_is_by_score(scores, share):
    snapshot = _SNAPSHOT[0]
    rows = sorted(scores, key=lambda row: -scores[row])
    shared = share_evidence(
        snapshot, ScoredRows(np.array(rows, np.int64), np.array([scores[row] for row in rows])), share
    )
    parents = {int(snapshot.search_parents[row]) for row in rows if row < 8}
    assert set(shared.rows.tolist()) == set(rows) | parents
    assert (np.diff(shared.scores) <= 0).all()


_SNAPSHOT = []


@pytest.fixture(scope="module", autouse=True)
def _shared_snapshot(library):
    _SNAPSHOT.append(library)


def test_the_document_that_fits_as_a_whole_has_a_prior_of_one(tmp_path):
    tree = {name: [[[text]]] for name, text in (("a", "Cats sleep."), ("b", "Cats bark."), ("c", "Dogs bark."))}
    snapshot = small_snapshot(tmp_path, tree)
    first, nothing = document_priors(snapshot, ["sleeping cats bark", "xylophone"], LexicalSettings())
    # Each has two words. "sleep" is in one of three, "cat" and "bark" in two: idf ln(8/3) and ln(8/5) of equal lengths.
    sleep, common = np.log(1 + 2.5 / 1.5), np.log(1 + 1.5 / 2.5)
    scores = np.array([sleep + common, 2 * common, common])
    assert first.tolist() == pytest.approx(np.clip((scores - scores[1]) / (scores[0] - scores[1]), 0, 1).tolist())
    assert nothing.tolist() == [0.0, 0.0, 0.0]


def test_a_document_is_scored_by_the_words_of_all_its_paragraphs(library):
    scores = library.lexical.document_scores(["cat", "leather"])
    assert (scores > 0).tolist() == [True, True]
    assert library.lexical.document_scores(["purr"]).tolist()[1] == 0.0


def test_nodes_are_lifted_by_their_document(library):
    ranked = ScoredRows(np.array([0, 4, 9]), np.array([0.8, 0.75, 0.5]))  # cats, dogs, cats
    lifted = lift_by_document(library, ranked, np.array([0.0, 1.0]), 0.5)
    assert lifted.rows.tolist() == [4, 0, 9]
    assert lifted.scores.tolist() == pytest.approx([0.75 + 0.5 * 0.8, 0.8, 0.5])


def test_without_weight_or_prior_nothing_is_lifted(library):
    ranked = ScoredRows(np.array([0]), np.array([0.8]))
    assert lift_by_document(library, ranked, np.array([1.0, 1.0]), 0.0) is ranked
    assert lift_by_document(library, ranked, np.zeros(0), 0.5) is ranked
