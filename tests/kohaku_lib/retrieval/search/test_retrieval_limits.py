"""What counts as a candidate: all that was ranked, the best of both kinds together, or of all kinds, as in KohakuRAG."""

import numpy as np
import pytest
from index_material import LIBRARY, small_snapshot, word_vectors

from kohaku_lib.index import SearchFilter
from kohaku_lib.retrieval import Retriever
from kohaku_lib.retrieval.search.prepare import plan_settings
from kohaku_lib.settings import RetrievalSettings
from kohaku_lib.tables import PlannedQuery, QueryPlan

DENSE = {
    "fusion": "append",
    "bm25_top_k": 0,
    "consensus": "none",
    "evidence_share": 0.0,
    "threshold": -1.0,
    "merge_duplicates": False,
}


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    return small_snapshot(tmp_path_factory.mktemp("library"), LIBRARY)


def found(snapshot, *queries, where=None, **settings):
    retriever = Retriever(snapshot, RetrievalSettings(**(DENSE | settings)), word_vectors, where=where)
    return retriever.retrieve([("q", queries)])[0]


def nearest(snapshot, query, k, documents=("cats", "dogs")):
    """The nodes of all kinds in the order of their cosines, best first, by a plain scan."""
    rows = snapshot.space_rows("main").column("node_row").to_numpy()
    ids, kinds = snapshot.column("node_id", rows), snapshot.column("kind", rows)
    scores = snapshot.vectors() @ word_vectors([query])[0]
    order = [at for at in np.argsort(-scores, kind="stable") if ids[at].split(":")[0] in documents]
    return [ids[at] for at in order[:k] if kinds[at] in ("sentence", "paragraph")]


def all_scores(snapshot, query):
    """The searched nodes with their cosines, best first."""
    rows = snapshot.search_rows
    scores = (snapshot.vectors()[: snapshot.searched] @ word_vectors([query])[0]).tolist()
    return sorted(zip(snapshot.column("node_id", rows), scores, strict=True), key=lambda pair: -pair[1])


def ids_of(result):
    return [match.node_id for match in result.matches]


def test_all_that_is_ranked_counts_by_default(library):
    assert len(found(library, "cat dog", top_k=2).matches) == 13  # 8 sentences and 5 paragraphs


@pytest.mark.parametrize("k", [1, 3, 5, 9, 40])
def test_sections_and_documents_take_places_and_are_dropped(library, k):
    result = found(library, "cat dog", top_k=k, candidates="top_k_of_all")
    assert ids_of(result) == nearest(library, "cat dog", k)


def test_without_them_both_kinds_share_the_top_k(library):
    result = found(library, "cat dog", top_k=5, candidates="top_k")
    assert len(result.matches) == 5
    assert set(nearest(library, "cat dog", 5)) < set(ids_of(result))


def test_sections_of_documents_that_a_filter_excludes_take_no_place(library):
    only_cats = SearchFilter(documents=("cats",))
    result = found(library, "cat dog", top_k=4, candidates="top_k_of_all", where=only_cats)
    assert ids_of(result) == nearest(library, "cat dog", 4, ("cats",))


def test_a_query_without_a_vector_finds_nothing(library):
    assert found(library, "xylophone", top_k=4, candidates="top_k_of_all").matches == ()


def test_a_node_counts_only_for_the_queries_that_have_it_among_their_top_k(library):
    queries = ("kitten milk", "dog bark", "dog sleeps")
    every, few = (
        found(library, *queries, top_k=1, consensus="frequency", candidates=candidates, planned_query_weight=1.0)
        for candidates in ("ranked", "top_k")
    )
    assert {match.score for match in every.matches} == {3.0}
    assert {match.score for match in few.matches} == {1.0}
    assert len(few.matches) == 3


def test_a_channel_has_as_many_results_as_it_is_given(library):
    settings = {"fusion": "rrf", "consensus": "none", "candidates": "top_k", "top_k": 9}
    lists = found(library, "cat sleeps", **settings, channel_top_k={"dense": 3, "lexical": 2}).trace["channels"][0]
    assert [len(lists["dense"][0] + lists["dense"][1]), len(lists["lexical"][0] + lists["lexical"][1])] == [3, 2]
    per_kind = found(library, "cat sleeps", **settings | {"candidates": "ranked"}, channel_top_k={"dense": 2})
    assert [len(ids) for ids in per_kind.trace["channels"][0]["dense"]] == [2, 2]


@pytest.mark.parametrize("kind", ["sentence", "paragraph"])
def test_one_kind_of_node_can_be_searched_alone(library, kind):
    result = found(library, "cat dog", kinds=kind)
    assert {match.kind for match in result.matches} == {kind}
    assert found(library, "cat dog", kinds=kind, where=SearchFilter(documents=("cats",))).matches != ()
    by_filter = found(library, "cat dog", kinds=kind, where=SearchFilter(kinds=("paragraph",)))
    assert {match.kind for match in by_filter.matches} == {"paragraph"}


def test_the_intent_of_a_question_decides_how_much_is_found_and_how_near_it_must_be(library):
    queries = (PlannedQuery("cat sleeps", "question"),)
    settings = RetrievalSettings(
        **DENSE | {"threshold": 0.9, "snippet_dedup": "none", "parent_depth": 0}, intent_hints=True
    )
    found = Retriever(library, settings, word_vectors)
    for intent, least, most in (("FACTUAL", 0.40, 6), ("LIST", 0.30, 15), (None, 0.9, 13)):
        [result] = found.retrieve([QueryPlan("q", queries, intent=intent)])
        scores = [match.score for match in result.matches]
        every = [score for _, score in all_scores(library, "cat sleeps") if score >= least]
        assert scores == pytest.approx(every)
        assert len(result.snippets) == min(most, len(every))


@pytest.mark.parametrize(("intent", "share"), [("COMPARISON", 0.2), ("ANALYTICAL", 0.2), ("FACTUAL", 0.0), (None, 0.0)])
def test_an_intent_about_several_things_brings_what_the_graph_relates(intent, share):
    settings = RetrievalSettings(intent_hints=True, related_share=0.0)
    assert plan_settings(QueryPlan("q", intent=intent), settings).related_share == share


def test_a_comparison_is_diversified_and_a_fact_is_not(library):
    queries = (PlannedQuery("cat sleeps", "question"),)
    found = Retriever(library, RetrievalSettings(**DENSE, intent_hints=True), word_vectors)
    compared, fact = (
        found.retrieve([QueryPlan("q", queries, intent=intent)])[0] for intent in ("COMPARISON", "FACTUAL")
    )
    assert "mmr" in compared.trace["refinement"]
    assert "mmr" not in fact.trace.get("refinement", {})
