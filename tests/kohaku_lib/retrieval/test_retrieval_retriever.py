import json

import numpy as np
import pyarrow as pa
import pytest
from index_material import LIBRARY, small_snapshot, word_vectors

from kohaku_lib.errors import StoreError
from kohaku_lib.retrieval import Retriever, results_from_table, results_to_table, retrieve_contexts
from kohaku_lib.retrieval.planning.plan_rows import as_plan, plan_to_row
from kohaku_lib.settings import RetrievalSettings
from kohaku_lib.tables import QUERY_PLANS, RETRIEVED_CONTEXT

MANY = {
    f"d{n}": [[[f"Cat {n} sleeps for {n} hours.", f"Dog {n} barks."], [f"Puppy {n} chews shoe {n}."]]]
    for n in range(30)
}
KOHAKU = {
    "fusion": "append",
    "dense_weight": 1.0,
    "lexical_weight": 1.0,
    "evidence_share": 0.0,
    "document_weight": 0.0,
    "planned_query_weight": 1.0,
}


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    return small_snapshot(tmp_path_factory.mktemp("library"), LIBRARY)


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    return small_snapshot(tmp_path_factory.mktemp("many"), MANY)


def retriever(snapshot, **settings):
    return Retriever(snapshot, RetrievalSettings(**{"merge_duplicates": False} | settings), word_vectors)


def request(snapshot, *queries, depth=1, **settings):
    return retriever(snapshot, **settings).retrieve([("q1", queries)], depth=depth)[0]


@pytest.mark.parametrize("fusion", ["append", "rrf", "weighted_rrf", "minmax", "bounded"])
@pytest.mark.parametrize("consensus", ["frequency", "score", "combined", "none"])
def test_every_way_of_ranking_finds_the_obvious(library, fusion, consensus):
    result = request(library, "Do kittens drink milk?", "kittens milk", fusion=fusion, consensus=consensus)
    assert result.matches[0].document_id == "cats"
    assert result.snippets[0].text == "Kittens drink milk."
    assert [snippet.rank for snippet in result.snippets] == sorted(snippet.rank for snippet in result.snippets)


def test_a_sentence_brings_its_paragraph_with_page_and_title(library):
    [snippet] = request(library, "old cats", top_k=1).snippets
    assert (snippet.node_id, snippet.document_id, snippet.document_title) == ("cats:sec2:p1", "cats", "Cats")
    assert (snippet.page, snippet.rank) == (2, 1)


def test_a_snippet_grown_to_its_document_keeps_the_page_of_its_match(library):
    [snippet] = request(library, "old cats", top_k=1, parent_depth=3, parent_limit="document").snippets
    assert (snippet.node_id, snippet.page) == ("cats", 2)


def test_all_ranked_nodes_are_matches_however_few_enter_the_context(many):
    result = request(many, "cat 7 sleeps", top_k=1)
    assert len(result.matches) == 150
    assert len(result.snippets) == 1
    assert len({match.node_id for match in result.matches}) == 150
    scores = [match.score for match in result.matches]
    assert scores == sorted(scores, reverse=True)


def test_results_come_in_the_order_of_the_plans(many):
    plans = [(f"q{n}", [f"cat {n} sleeps", f"dog {n}"]) for n in (5, 3, 8)]
    results = retriever(many, fusion="minmax").retrieve(plans)
    assert [(result.id, result.matches[0].document_id) for result in results] == [
        ("q5", "d5"),
        ("q3", "d3"),
        ("q8", "d8"),
    ]
    alone = retriever(many, fusion="minmax").retrieve(plans[1:2])[0]
    assert alone.snippets == results[1].snippets


def test_depth_multiplies_what_enters_the_context(many):
    shallow, deep = retriever(many, top_k=2, evidence_share=0.0).retrieve(
        [("a", ["cat 7"]), ("b", ["cat 7"])], depth=[1, 3]
    )
    assert len(deep.snippets) > len(shallow.snippets)
    assert deep.snippets[: len(shallow.snippets)] == shallow.snippets
    assert deep.trace["depth"] == 3


def test_top_k_final_cuts_after_the_rerank_and_grows_with_depth(many):
    assert len(request(many, "cat 7", top_k=20, top_k_final=3, snippet_dedup="none", parent_depth=0).snippets) == 3
    assert (
        len(request(many, "cat 7", top_k=20, top_k_final=3, snippet_dedup="none", parent_depth=0, depth=2).snippets)
        == 6
    )
    whole = request(many, "cat 7", top_k=20, top_k_final=0, snippet_dedup="none", parent_depth=0)
    assert len(whole.snippets) == 20


def test_query_vectors_are_computed_once_at_all_depths(many):
    computed = []

    def embed(texts):
        computed.extend(texts)
        return word_vectors(texts)

    found = Retriever(many, RetrievalSettings(), embed)
    for depth in (1, 2, 3):
        found.retrieve([("a", ["cat", "dog"]), ("b", ["dog", "shoe"])], depth=depth)
    assert computed == ["cat", "dog", "shoe"]


def test_a_plan_without_a_query_gives_an_empty_result(library):
    for queries in ([], [" "]):
        result = request(library, *queries)
        assert (result.matches, result.snippets, result.queries) == ((), (), tuple(queries))
    assert retriever(library).retrieve([]) == []


def test_vectors_of_another_size_are_an_error_with_both_numbers(library):
    found = Retriever(library, RetrievalSettings(), lambda texts: np.ones((len(texts), 3), np.float32))
    with pytest.raises(StoreError, match="vectors of 12 dimensions, the queries have 3"):
        found.retrieve([("a", ["cat"])])


def test_bm25_results_are_appended_after_the_cut_of_the_dense_ones(many):
    # The vectors do not know numbers, BM25 does: "17" is in three sentences and two paragraphs of d17.
    dense_only = request(
        many, "17 cat", **KOHAKU, top_k=2, top_k_final=1, bm25_top_k=0, parent_depth=0, snippet_dedup="none"
    )
    appended = request(
        many, "17 cat", **KOHAKU, top_k=2, top_k_final=1, bm25_top_k=3, parent_depth=0, snippet_dedup="none"
    )
    assert len(dense_only.snippets) == 1
    assert appended.snippets[0] == dense_only.snippets[0]
    assert [snippet.document_id for snippet in appended.snippets[1:]] == ["d17"] * 3
    assert len({snippet.node_id for snippet in appended.snippets}) == 4
    assert [match.node_id for match in appended.matches[:4]] == [snippet.node_id for snippet in appended.snippets]


def test_bm25_results_are_appended_in_turn_or_query_by_query(many):
    settings = KOHAKU | {
        "top_k": 1,
        "candidates": "top_k",
        "parent_depth": 0,
        "snippet_dedup": "none",
        "consensus": "none",
    }
    for order, documents in (("round_robin", ["d17", "d23", "d17"]), ("query", ["d17", "d17", "d17"])):
        result = request(many, "17", "23", **settings, bm25_top_k=3, bm25_order=order)  # no vector knows numbers
        assert [snippet.document_id for snippet in result.snippets] == documents


def test_a_planned_query_finds_what_the_question_alone_does_not(library):
    settings = KOHAKU | {"bm25_top_k": 0, "top_k": 2, "consensus": "combined"}
    alone, both = (request(library, *queries, **settings) for queries in (["kittens"], ["kittens", "puppies"]))
    assert {snippet.document_id for snippet in alone.snippets} == {"cats"}
    assert {snippet.document_id for snippet in both.snippets} == {"cats", "dogs"}
    # One of the two words of "Kittens drink milk." is asked for, and one of the three of "Puppies chew shoes.".
    scores = {match.node_id: match.score for match in both.matches}
    assert scores["cats:sec1:p2:s1"] == pytest.approx(1.0)
    assert scores["dogs:sec1:p2:s1"] == pytest.approx(0.4 + 0.6 * (1 / 3) ** 0.5 / (1 / 2) ** 0.5)


def test_statistics_before_deduplication_let_the_consensus_win(library):
    queries = ("dog sleeps", "dog barks", "puppies")
    ranked = request(library, *queries, **KOHAKU, consensus="frequency", top_k=3, bm25_top_k=0)
    compat = request(library, *queries, **KOHAKU, consensus="frequency", dedup_first=True, top_k=3, bm25_top_k=0)
    assert ranked.matches[0].score == 3.0
    assert {match.score for match in compat.matches} == {1.0}


def test_the_question_outweighs_the_planned_queries(library):
    queries = ("kittens milk", "puppies chew shoes", "leather shoes")
    assert request(library, *queries, consensus="score", planned_query_weight=0.1).matches[0].document_id == "cats"
    assert request(library, *queries, consensus="score", planned_query_weight=1.0).matches[0].document_id == "dogs"


def test_the_trace_says_what_each_channel_found_and_what_did_not_fit(many):
    result = request(many, "cat 7", top_k=30, context_tokens=50)
    [channels] = result.trace["channels"]
    assert channels["query"] == "cat 7"
    assert channels["lexical"][0][0] == "d7:sec1:p1:s1"
    assert result.trace["tokens"] <= 50
    assert result.trace["dropped"][0]["why"] == "budget"
    assert result.trace["index_version"] == "v1"
    json.dumps(result.trace)


def test_results_survive_the_table(many):
    results = retriever(many).retrieve([("a", ["cat 7", "dog"]), ("b", [])])
    table = results_to_table(results)
    assert table.schema == RETRIEVED_CONTEXT
    assert results_from_table(table) == results
    assert results_from_table(results_to_table([])) == []


def test_the_stage_keeps_the_order_and_lists_questions_without_a_query(many):
    plans = pa.Table.from_pylist(
        [
            {"id": name, "plan": plan_to_row(as_plan((name, queries))), "planner": "rule.v1"}
            for name, queries in (("b", ["cat 3"]), ("a", []))
        ],
        schema=QUERY_PLANS,
    )
    table, report = retrieve_contexts(plans, retriever(many))
    assert table.column("id").to_pylist() == ["b", "a"]
    assert [len(snippets) > 0 for snippets in table.column("snippets").to_pylist()] == [True, False]
    assert (report.rows_computed, report.problems) == (2, ("question 'a' has no query and got no context",))


def test_the_lexical_settings_are_those_of_the_index(library):
    assert retriever(library).lexical.model_dump() == library.meta["lexical"]
