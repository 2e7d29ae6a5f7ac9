"""The graph channel: what a query names, and the sentences and paragraphs that it leads to."""

import numpy as np
import pytest
from index_material import graph_snapshot, word_vectors

from kohaku_lib.index import SearchFilter
from kohaku_lib.retrieval import Retriever
from kohaku_lib.retrieval.channels import graph
from kohaku_lib.retrieval.channels.graph import find_keywords, graph_search
from kohaku_lib.settings import RetrievalSettings

TREE = {
    "a": [[["the cat of Amber Bay was sold to Borealis Wind.", "it sleeps."]]],
    "b": [[["a kitten by Borealis Wind drinks milk."], ["a dog barks."]]],
    "z": [[[f"apart from them Model{letter}-1 is a dog." for letter in "abcdefgh"]]],
}
ALONE = RetrievalSettings(fusion="minmax", dense_weight=0.0, lexical_weight=0.0, graph_weight=1.0, evidence_share=0.0)


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory):
    return graph_snapshot(tmp_path_factory.mktemp("graph"), TREE)


def found(snapshot, query, hops=1, k=10, **more):
    [(sentences, paragraphs)] = graph_search(snapshot, [query], k, hops, **more)
    return [snapshot.column("node_id", snapshot.search_rows[ranked.rows]) for ranked in (sentences, paragraphs)]


def names(query):
    return [keyword.text for keyword in find_keywords(query) if not keyword.exact]


def test_names_in_a_query_are_keywords_also_in_small_letters():
    assert names("Who sold Amber Bay to Borealis Wind?") == [
        "borealis wind",
        "amber bay",
        "borealis",
        "amber",
        "wind",
        "bay",
    ]
    assert names("what is the pue?") == []
    assert "pue" in [keyword.text for keyword in find_keywords("what is the pue?")]


def test_keywords_come_longest_first_and_neither_begin_nor_end_with_a_small_word():
    keywords = [keyword.text for keyword in find_keywords("the power usage of the site")]
    assert keywords == ["power usage of the site", "usage of the site", "power usage", "power", "usage", "site"]


def test_a_query_without_words_has_no_keywords():
    assert find_keywords("") == find_keywords("?!") == find_keywords("is it so?") == []


def test_sentences_and_paragraphs_are_ranked_apart(snapshot):
    assert found(snapshot, "Who bought Amber Bay?", hops=0) == [["a:sec1:p1:s1"], ["a:sec1:p1"]]


def test_a_hop_leads_to_what_is_related(snapshot):
    sentences, paragraphs = found(snapshot, "Who bought Amber Bay?")
    assert sentences == ["a:sec1:p1:s1", "b:sec1:p1:s1"]
    assert paragraphs == ["a:sec1:p1", "b:sec1:p1"]


def test_two_relations_are_followed_where_the_settings_say_two(tmp_path):
    chain = {
        "a": [[["the cat of Amber Bay was sold to Borealis Wind."]]],
        "b": [[["the kitten of Borealis Wind was sold to Cedar Mills."]]],
        "c": [[["a dog by Cedar Mills barks."]]],
        "z": TREE["z"],
    }
    snapshot, found_in = graph_snapshot(tmp_path, chain), {}
    for hops in (1, 2):
        settings = ALONE.model_copy(update={"graph_hops": hops})
        [result] = Retriever(snapshot, settings, word_vectors).retrieve([("q", ["Amber Bay"])])
        found_in[hops] = {match.document_id for match in result.matches}
    assert found_in == {1: {"a", "b"}, 2: {"a", "b", "c"}}


def test_each_query_of_a_batch_has_its_own_results_in_order(snapshot):
    queries = ["Modela-1", "nothing", "Amber Bay", "Modelb-1"]
    batch = graph_search(snapshot, queries, 10, 0)
    alone = [graph_search(snapshot, [query], 10, 0)[0] for query in queries]
    assert [[ranked.rows.tolist() for ranked in lists] for lists in batch] == [
        [ranked.rows.tolist() for ranked in lists] for lists in alone
    ]
    assert [len(lists[0]) for lists in batch] == [1, 0, 1, 1]


def test_a_batch_is_searched_in_parts_with_the_same_results(snapshot, monkeypatch):
    queries = ["Modela-1", "nothing", "Amber Bay", "Modelb-1", "Amber Bay and Modela-1"]
    whole = graph_search(snapshot, queries, 10, 1)
    monkeypatch.setattr(graph, "AT_ONCE", 2)
    parts = graph_search(snapshot, queries, 10, 1)
    assert [[ranked.rows.tolist() for ranked in lists] for lists in parts] == [
        [ranked.rows.tolist() for ranked in lists] for lists in whole
    ]


def test_at_most_k_are_returned_and_scores_never_rise(snapshot):
    [(sentences, _)] = graph_search(snapshot, ["Model"], 3, 1)
    assert len(sentences) == 3
    assert np.all(np.diff(sentences.scores) <= 0)


def test_a_name_in_several_texts_is_a_smaller_share_of_the_possible_than_one_in_a_single_text(snapshot):
    [(rare, _)], [(frequent, _)] = (graph_search(snapshot, [query], 10, 0) for query in ("Modela-1", "Borealis Wind"))
    assert (rare.scale.width, frequent.scale.width) == (1.0, pytest.approx(1.0 + 0.7 + 0.4))  # its words count too
    assert rare.scores[0] / rare.scale.width > 2 * frequent.scores[0] / frequent.scale.width


def test_rows_that_are_not_allowed_are_never_found(snapshot):
    allowed = snapshot.allowed(SearchFilter(documents=("b",)))
    assert found(snapshot, "Who bought Amber Bay?", allowed=allowed) == [["b:sec1:p1:s1"], ["b:sec1:p1"]]


def test_another_tenant_finds_nothing(snapshot):
    assert found(snapshot, "Amber Bay", org_id="other") == [[], []]
    retriever = Retriever(snapshot, ALONE, word_vectors, where=SearchFilter(org_id="other"))
    assert retriever.retrieve([("q", ["Amber Bay"])])[0].matches == ()


def test_the_channel_ranks_alone_and_is_traced(snapshot):
    [result] = Retriever(snapshot, ALONE, word_vectors, where=SearchFilter(org_id="default")).retrieve(
        [("q", ["Amber Bay"])]
    )
    assert {match.document_id for match in result.matches} == {"a", "b"}
    assert result.matches[0].document_id == "a"


@pytest.mark.parametrize(("query", "changes"), [("a dog barks", False), ("who bought Amber Bay", True)])
def test_only_a_query_that_names_an_entity_is_ranked_otherwise(snapshot, query, changes):
    scores = []
    for weight in (0.0, 0.5):
        settings = RetrievalSettings(fusion="minmax", graph_weight=weight, evidence_share=0.0)
        [result] = Retriever(snapshot, settings, word_vectors).retrieve([("q", [query])])
        scores.append({match.node_id: match.score for match in result.matches})
    assert (scores[1] != pytest.approx(scores[0])) is changes
