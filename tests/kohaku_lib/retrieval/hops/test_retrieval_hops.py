"""What a ranking leads to: named documents, documents named by its passages, and passages that share a name."""

from dataclasses import replace
from math import log

import numpy as np
import pytest
from index_material import graph_snapshot, word_vectors

from kohaku_lib.index import SearchFilter
from kohaku_lib.index.bm25.lexical_index import NO_FIELDS
from kohaku_lib.retrieval import Retriever
from kohaku_lib.retrieval.fusion.interface import FusedRanking
from kohaku_lib.retrieval.fusion.scored_rows import ScoredRows
from kohaku_lib.retrieval.hops.bridges import LEAST_PATH, search_bridges
from kohaku_lib.retrieval.hops.follow import BRIDGED, LINKED, NAMED, follow_hops
from kohaku_lib.retrieval.hops.named_documents import linked_paragraphs, named_paragraphs
from kohaku_lib.retrieval.hops.sources import HopQuestion, Passages, best_passages
from kohaku_lib.settings import LexicalSettings, RetrievalSettings

TREE = {
    "killing pablo": [[["Killing Pablo is a book by Mark Bowden.", "It tells of a chase."]]],
    "mark bowden": [[["He was born in Saint Louis."], ["Mark Bowden likes milk."]]],
    "harbor light": [[["The cottage of Joan Wye burns."]]],
    "joan": [[["A kitten was born to Joan Wye."]]],
    "dogs": [[["A dog barks."]]],
}
BOOK, BORN, MILK, COTTAGE, KITTEN, DOG = range(6)  # the searched paragraphs
NODES = 23
IN_TWO_NODES = log(1 + NODES / 2) / log(
    1 + NODES
)  # rarity of a name in a sentence and its paragraph or in two of these
ASKS_AUTHOR = HopQuestion("Where was the author of Killing Pablo born?", LexicalSettings())
ASKS_COTTAGE = HopQuestion("Which cottage burns where a kitten was born?", LexicalSettings())
NOBODY = Passages(np.empty(0, np.int64), np.empty(0))


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory):
    return graph_snapshot(tmp_path_factory.mktemp("hops"), TREE)


def passage(place, share=1.0):
    return Passages(np.array([place]), np.array([share]))


def paragraphs(snapshot, **score_by_place):
    """Return a ranking of paragraphs by their names here, best first."""
    rows = [snapshot.sentences + globals()[name] for name in score_by_place]
    return ScoredRows(np.array(rows, np.int64), np.array(list(score_by_place.values())))


def fused(nodes, context=None):
    return FusedRanking(nodes, list(zip(nodes.rows.tolist(), nodes.scores.tolist(), strict=True))[:context])


def lifted(snapshot, ranking, question, **settings):
    found = follow_hops(snapshot, ranking, question, RetrievalSettings(**settings))
    ids = snapshot.column("node_id", snapshot.search_rows[found.nodes.rows])
    return dict(zip(ids, found.nodes.scores.tolist(), strict=True)), found


def test_the_first_ten_paragraphs_are_passages_and_a_sentence_counts_as_its_paragraph(snapshot):
    ranking = ScoredRows(np.array([1, snapshot.sentences + DOG, 0, 5]), np.array([0.8, 0.4, 0.2, 0.0]))
    found = best_passages(snapshot, ranking)
    assert found.places.tolist() == [BOOK, DOG]
    assert found.shares.tolist() == [1.0, 0.5]


def test_all_paragraphs_of_a_document_that_the_question_names_count_by_the_rarity_of_its_title(snapshot):
    question = replace(ASKS_AUTHOR, text="Does Mark Bowden like milk?")
    rarities = named_paragraphs(snapshot, question)
    assert rarities == pytest.approx([0, IN_TWO_NODES, IN_TWO_NODES, 0, 0, 0])


def test_a_title_that_a_passage_contains_leads_to_the_best_paragraph_of_its_document(snapshot):
    ranking = paragraphs(snapshot, BOOK=1.0, MILK=0.5, BORN=0.25)
    lifts = linked_paragraphs(snapshot, ranking, passage(BOOK, 0.5), ASKS_AUTHOR)
    assert lifts == pytest.approx([0, 0, 0.5 * IN_TWO_NODES, 0, 0, 0])


def test_it_leads_to_the_first_paragraph_if_none_is_ranked(snapshot):
    lifts = linked_paragraphs(snapshot, paragraphs(snapshot, BOOK=1.0), passage(BOOK), ASKS_AUTHOR)
    assert np.flatnonzero(lifts).tolist() == [BORN]


def test_documents_that_the_question_names_and_that_of_the_passage_are_no_links(snapshot):
    asks_both = replace(ASKS_AUTHOR, text="Did Mark Bowden write Killing Pablo?")
    assert not linked_paragraphs(snapshot, paragraphs(snapshot, BOOK=1.0), passage(BOOK), asks_both).any()
    assert not linked_paragraphs(snapshot, paragraphs(snapshot, MILK=1.0), passage(MILK), ASKS_COTTAGE).any()


def test_a_bridge_shares_a_name_with_the_passage_and_contains_what_it_lacks(snapshot):
    paths = search_bridges(snapshot, passage(COTTAGE, 0.5), ASKS_COTTAGE, NO_FIELDS)
    terms = ["cottag", "burn", "kitten", "born"]
    lacking = snapshot.lexical.scores(["kitten", "born"])[snapshot.sentences + KITTEN]
    expected = 0.5 * IN_TWO_NODES**2 * lacking / snapshot.lexical.most(terms)[1] - LEAST_PATH
    assert expected > 0
    assert paths == pytest.approx([0, 0, 0, 0, expected, 0])


def test_a_name_that_the_question_contains_is_no_bridge(snapshot):
    asks_joan = replace(ASKS_COTTAGE, text="Which cottage of Joan Wye burns where a kitten was born?")
    assert not search_bridges(snapshot, passage(COTTAGE), asks_joan, NO_FIELDS).any()


def test_a_passage_that_lacks_nothing_needs_no_bridge(snapshot):
    covered = replace(ASKS_COTTAGE, text="Which cottage burns?")
    assert not search_bridges(snapshot, passage(COTTAGE), covered, NO_FIELDS).any()


def test_a_question_of_unknown_words_and_a_ranking_of_nothing_have_no_bridges(snapshot):
    unknown = replace(ASKS_COTTAGE, text="xyzzy?")
    assert not search_bridges(snapshot, passage(COTTAGE), unknown, NO_FIELDS).any()
    assert not search_bridges(snapshot, NOBODY, ASKS_COTTAGE, NO_FIELDS).any()


def test_lifts_are_added_relative_to_the_best_score_which_stays(snapshot):
    scores, found = lifted(snapshot, fused(paragraphs(snapshot, DOG=0.5, BOOK=0.375)), ASKS_AUTHOR)
    book, linked = 0.375 + 0.5 * NAMED, 0.5 * LINKED * 0.75 * IN_TWO_NODES
    expected = {"killing pablo:sec1:p1": 0.5, "dogs:sec1:p1": 0.25 / book, "mark bowden:sec1:p1": 0.5 * linked / book}
    assert scores == pytest.approx(expected)
    assert list(scores) == list(expected)
    assert found.lifts == (
        (snapshot.sentences + BOOK, pytest.approx(0.5 * 0.5 * NAMED / book)),
        (snapshot.sentences + BORN, pytest.approx(0.5 * linked / book)),
    )


def test_a_bridge_is_lifted_with_its_sentence(snapshot):
    sentence = int(np.flatnonzero(snapshot.search_parents == snapshot.sentences + KITTEN)[0])
    rows = np.array([snapshot.sentences + COTTAGE, sentence])
    scores, _ = lifted(snapshot, fused(ScoredRows(rows, np.array([1.0, 0.125]))), ASKS_COTTAGE, title_weight=0.0)
    path = search_bridges(snapshot, passage(COTTAGE), ASKS_COTTAGE, NO_FIELDS)[KITTEN]
    assert scores["joan:sec1:p1:s1"] == pytest.approx(0.125 + BRIDGED * path)
    assert scores["joan:sec1:p1"] == pytest.approx(BRIDGED * path)


def test_as_many_nodes_enter_the_context_as_before_and_those_that_are_lifted_may(snapshot):
    ranking = fused(paragraphs(snapshot, DOG=0.25, BOOK=0.2), context=1)
    _, found = lifted(snapshot, ranking, ASKS_AUTHOR)
    assert found.context == [(snapshot.sentences + BOOK, pytest.approx(0.25))]


def test_half_the_weight_lifts_by_half_and_none_leaves_the_ranking_as_it_is(snapshot):
    ranking = fused(paragraphs(snapshot, DOG=1.0, BOOK=0.5))
    half, _ = lifted(snapshot, ranking, ASKS_AUTHOR, hop_weight=0.5)
    assert half["killing pablo:sec1:p1"] == pytest.approx(0.5 + 0.5 * NAMED)
    assert follow_hops(snapshot, ranking, ASKS_AUTHOR, RetrievalSettings(hop_weight=0.0)) is ranking


def test_rankings_that_have_no_order_by_score_or_no_score_stay(snapshot):
    ranking = fused(paragraphs(snapshot, BOOK=1.0))
    assert follow_hops(snapshot, ranking, ASKS_AUTHOR, RetrievalSettings(consensus="none")) is ranking
    unscored = fused(paragraphs(snapshot, BOOK=0.0))
    assert follow_hops(snapshot, unscored, ASKS_AUTHOR, RetrievalSettings()) is unscored
    nothing = fused(paragraphs(snapshot))
    assert follow_hops(snapshot, nothing, ASKS_AUTHOR, RetrievalSettings()) is nothing


def test_rows_that_are_not_allowed_are_never_added(snapshot):
    allowed = snapshot.allowed(SearchFilter(documents=("killing pablo", "dogs")))
    scores, _ = lifted(snapshot, fused(paragraphs(snapshot, BOOK=1.0)), replace(ASKS_AUTHOR, allowed=allowed))
    assert list(scores) == ["killing pablo:sec1:p1"]


def test_names_of_another_tenant_lead_nowhere(snapshot):
    ranking = fused(paragraphs(snapshot, BOOK=1.0))
    assert follow_hops(snapshot, ranking, replace(ASKS_AUTHOR, org_id="other"), RetrievalSettings()) is ranking
    own, _ = lifted(snapshot, ranking, replace(ASKS_AUTHOR, org_id="default"))
    assert len(own) == 2


def answered(snapshot, **settings):
    question = "Did the author of Killing Pablo have a dog?"
    return Retriever(snapshot, RetrievalSettings(**settings), word_vectors).retrieve([("q", [question])])[0]


def test_a_retriever_follows_hops_and_tells_what_they_lifted(snapshot):
    result = answered(snapshot)
    assert result.matches[0].document_id == "killing pablo"
    assert [lift["node_id"] for lift in result.trace["hops"]] == ["killing pablo:sec1:p1", "mark bowden:sec1:p2"]


@pytest.mark.parametrize("key", ["hop_weight", "graph_weight", "lexical_weight"])
def test_it_follows_none_if_they_or_their_channels_are_switched_off(snapshot, key):
    result = answered(snapshot, **{key: 0.0})
    assert result.matches[0].document_id == "dogs"
    assert "hops" not in result.trace
