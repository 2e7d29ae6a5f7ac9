"""What the graph relates to a context, and the room that is kept for it."""

import shutil

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from index_material import graph_snapshot, word_vectors

from kohaku_lib.index import SearchFilter, open_snapshot
from kohaku_lib.retrieval import Retriever
from kohaku_lib.retrieval.packing.related import HEAD, best_first, pack_with_related, related_nodes
from kohaku_lib.retrieval.refine.dependencies import RefineDependencies
from kohaku_lib.retrieval.refine.expand import ExpandedMatch
from kohaku_lib.settings import RerankSettings, RetrievalSettings

TREE = {
    "a": [[["the cat park of Amber Bay was sold to Borealis Wind.", "it sleeps."], ["a dog barks."]]],
    "b": [[["a bridge by Borealis Wind leads over Cobalt Pass for the kitten."]]],
    "c": [[["a tunnel runs below Cobalt Pass."], ["shoes are leather."]]],
    # So many sentences name something else that two names in one are no chance.
    "z": [[[f"apart from them Model{letter}-1 is a dog." for letter in "abcdefgh"]]],
}


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory):
    return graph_snapshot(tmp_path_factory.mktemp("related"), TREE)


def expanded(snapshot, *node_ids, score=0.5):
    rows = [snapshot.row_of(node_id) for node_id in node_ids]
    return [ExpandedMatch(row, row, rank, score / rank) for rank, row in enumerate(rows, start=1)]


def ids(snapshot, nodes):
    return snapshot.column("node_id", [node.row for node in nodes])


def test_paragraphs_that_share_names_come_before_those_two_relations_away(snapshot):
    found = related_nodes(snapshot, expanded(snapshot, "a:sec1:p1"))
    assert ids(snapshot, found) == ["b:sec1:p1", "c:sec1:p1"]
    assert [node.rank for node in found] == [2, 3]


def test_they_have_less_than_the_least_score_of_the_context(snapshot):
    context = expanded(snapshot, "a:sec1:p1", "a:sec1:p2")
    assert [node.score for node in related_nodes(snapshot, context)] == pytest.approx([0.9 * 0.25] * 2)


def test_a_score_below_zero_is_not_raised(snapshot):
    context = expanded(snapshot, "a:sec1:p1", score=-2.0)
    assert [node.score for node in related_nodes(snapshot, context)] == [-2.0, -2.0]


@given(st.lists(st.sampled_from([0.5, 1.0, 2.0]) | st.floats(0, 3), max_size=4 * HEAD))
def test_rows_come_by_score_and_equal_ones_in_their_order(scores):
    rows = np.arange(len(scores)) + 7
    expected = sorted(rows.tolist(), key=lambda row: (-scores[row - 7], row))
    assert list(best_first(rows, np.array(scores, np.float64))) == expected


@pytest.mark.parametrize("present", ["b:sec1:p1:s1", "b:sec1:p1", "b:sec1", "b"])
def test_what_the_context_holds_whole_or_in_part_is_left_out(snapshot, present):
    assert "b:sec1:p1" not in ids(snapshot, related_nodes(snapshot, expanded(snapshot, "a:sec1:p1", present)))


def test_unwanted_nodes_and_rows_that_are_not_allowed_are_left_out(snapshot):
    context = expanded(snapshot, "a:sec1:p1")
    allowed = snapshot.allowed(SearchFilter(documents=("a", "c")))
    assert ids(snapshot, related_nodes(snapshot, context, allowed=allowed)) == ["c:sec1:p1"]
    assert ids(snapshot, related_nodes(snapshot, context, unwanted={"c:sec1:p1"})) == ["b:sec1:p1"]


def test_names_of_another_tenant_lead_nowhere(snapshot):
    assert related_nodes(snapshot, expanded(snapshot, "a:sec1:p1"), org_id="other") == []
    assert len(related_nodes(snapshot, expanded(snapshot, "a:sec1:p1"), org_id="default")) == 2


def test_a_context_without_names_and_an_empty_one_have_nothing_related(snapshot):
    assert related_nodes(snapshot, expanded(snapshot, "c:sec1:p2")) == []
    assert related_nodes(snapshot, []) == []


def packed(snapshot, context, budget, **settings):
    own = RetrievalSettings(context_tokens=50, **settings)
    of_matches, related, dropped = pack_with_related(snapshot, context, budget, own)
    return *(ids(snapshot, [item.node for item in part]) for part in (of_matches, related)), dropped


def test_a_share_of_the_context_is_kept_for_what_is_related(snapshot):
    context = expanded(snapshot, "a:sec1:p1", "c:sec1:p2", "a:sec1:p2")
    first, *others = (snapshot.tokens(node.row) for node in context)
    near, far = (snapshot.tokens(snapshot.row_of(name)) for name in ("b:sec1:p1", "c:sec1:p1"))
    assert far < near
    # The first match takes its half; of what is left the nearer paragraph would take a token too many.
    budget = first + near - 1
    of_matches, related, dropped = packed(snapshot, context, budget, related_share=1 - (first + 0.5) / budget)
    assert (of_matches, related) == (["a:sec1:p1"], ["c:sec1:p1"])
    assert dropped == [node.row for node in context[1:]]
    assert sum(others) <= budget - first


def test_without_a_share_or_anything_related_the_whole_budget_is_for_the_matches(snapshot):
    context = expanded(snapshot, "a:sec1:p1", "c:sec1:p2", "a:sec1:p2")
    budget = sum(snapshot.tokens(node.row) for node in context)
    whole = (["a:sec1:p1", "c:sec1:p2", "a:sec1:p2"], [], [])
    assert packed(snapshot, context, budget, related_share=0.0) == whole
    nameless = expanded(snapshot, "c:sec1:p2", "a:sec1:p2")
    budget = sum(snapshot.tokens(node.row) for node in nameless)
    assert packed(snapshot, nameless, budget, related_share=0.5) == (["c:sec1:p2", "a:sec1:p2"], [], [])


def test_related_snippets_stand_last_and_are_named_in_the_trace(snapshot):
    settings = RetrievalSettings(top_k=1, context_tokens=200, graph_weight=0.0, lexical_weight=0.0, fusion="minmax")
    [result] = Retriever(snapshot, settings, word_vectors).retrieve([("q1", ["cat"])])
    assert [snippet.node_id for snippet in result.snippets] == ["a:sec1:p1", "b:sec1:p1", "c:sec1:p1"]
    assert result.trace["related"] == ["b:sec1:p1", "c:sec1:p1"]
    none = settings.model_copy(update={"related_share": 0.0})
    [without] = Retriever(snapshot, none, word_vectors).retrieve([("q1", ["cat"])])
    assert [snippet.node_id for snippet in without.snippets] == ["a:sec1:p1"]
    assert "related" not in without.trace


def test_a_question_is_answered_where_the_graph_of_an_index_is_gone(snapshot, tmp_path):
    shutil.copytree(snapshot.folder, tmp_path / "v1", ignore=shutil.ignore_patterns("graph"))
    settings = RetrievalSettings(top_k=1, context_tokens=200)
    [result] = Retriever(open_snapshot(tmp_path, "v1"), settings, word_vectors).retrieve([("q1", ["Amber Bay cat"])])
    assert list(result.trace["failed_channels"]) == ["graph"]
    assert [snippet.node_id for snippet in result.snippets] == ["a:sec1:p1"]
    assert "related" not in result.trace


@pytest.mark.parametrize(
    ("judging", "enters"),
    [
        ({"verify": "quick", "verify_cosine": -1.0}, False),
        ({"safety_threshold": 0.0}, False),
        ({"denoise_alpha": 0.0}, False),
        ({"score_gap": True}, False),
        ({"mmr": 0.7}, True),
        ({"semantic_dedup": 1.0}, True),
    ],
)
def test_nothing_unseen_enters_a_context_whose_snippets_had_to_pass_a_test(snapshot, judging, enters):
    settings = RetrievalSettings(top_k=1, context_tokens=200, graph_weight=0.0, lexical_weight=0.0, fusion="minmax")
    retriever = Retriever(
        snapshot, settings, word_vectors, refine_dependencies=RefineDependencies(RerankSettings(**judging))
    )
    [result] = retriever.retrieve([("q1", ["cat"])])
    assert ("related" in result.trace) is enters
    assert (len(result.snippets) > 1) is enters


def test_the_graph_gives_nodes_of_the_same_names_in_order_with_their_scores(snapshot):
    rows, scores = snapshot.graph.related(np.array([snapshot.row_of("c:sec1:p1:s1")]), 0)
    assert set(snapshot.column("node_id", rows)) == {"c:sec1:p1", "c:sec1:p1:s1", "b:sec1:p1", "b:sec1:p1:s1"}
    assert (np.diff(rows) > 0).all()
    assert (scores > 0).all()
    assert len(snapshot.graph.related(np.array([snapshot.row_of("c:sec1:p2")]), 2)[0]) == 0
