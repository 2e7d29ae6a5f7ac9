"""What a plan comes down to: settings, channels, weights; and what a search makes of it."""

from dataclasses import replace

import pytest
from index_material import LIBRARY, WORDS, small_snapshot, word_vectors

from kohaku_lib.errors import RetrievalError
from kohaku_lib.retrieval import Retriever
from kohaku_lib.retrieval.channels.interface import CHANNELS
from kohaku_lib.retrieval.packing.hierarchy import by_document
from kohaku_lib.retrieval.search.prepare import plan_settings, prepare
from kohaku_lib.settings import RetrievalSettings
from kohaku_lib.tables import PlannedQuery, QueryPlan

SETTINGS = RetrievalSettings(
    dense_weight=0.4, lexical_weight=0.6, graph_weight=0.0, top_k=20, spelling=False, merge_duplicates=False
)


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    return small_snapshot(tmp_path_factory.mktemp("library"), LIBRARY)


def retrieve(snapshot, *queries, settings=SETTINGS, **plan):
    [result] = Retriever(snapshot, settings, word_vectors).retrieve([QueryPlan("q", queries, **plan)])
    return result


def channels_of(plan, settings=SETTINGS):
    return [request.channels for _, request in prepare(plan, settings, 1).requests]


def test_every_query_searches_the_channels_with_weight_unless_it_says_otherwise():
    queries = (
        PlannedQuery("a", "question"),
        PlannedQuery("b", channels=("lexical",)),
        PlannedQuery("c", "hyde"),
        PlannedQuery("d", "hyde", channels=("lexical",)),  # a made-up passage is never read as words
        PlannedQuery("e", channels=("sound",)),  # no such channel: not searched at all
        PlannedQuery(" "),
    )
    assert channels_of(QueryPlan("q", queries)) == [("dense", "lexical"), ("lexical",), ("dense",), ("dense",)]


def test_a_channel_that_the_settings_switch_off_stays_off():
    words_only = SETTINGS.model_copy(update={"dense_weight": 0.0})
    plan = QueryPlan("q", (PlannedQuery("a", "question"), PlannedQuery("b", "hyde")), weights={"dense": 2.0})
    assert channels_of(plan, words_only) == [("lexical",)]


def test_weights_multiply_and_zero_leaves_a_channel_out():
    own = plan_settings(QueryPlan("q", weights={"dense": 0.5, "lexical": 2.0}), SETTINGS)
    assert (own.dense_weight, own.lexical_weight) == (0.2, 1.2)
    assert channels_of(QueryPlan("q", (PlannedQuery("a"),), weights={"dense": 0.0})) == [("lexical",)]


def test_weights_that_leave_no_channel_are_passed_over():
    own = plan_settings(QueryPlan("q", weights={"dense": 0.0, "lexical": 0.0}), SETTINGS)
    assert (own.dense_weight, own.lexical_weight) == (0.4, 0.6)


@pytest.mark.parametrize(
    ("strategy", "top_k", "dense", "lexical"),
    [
        (None, 20, 0.4, 0.6),
        ("hybrid", 20, 0.4, 0.6),
        ("hierarchical", 20, 0.4, 0.6),
        ("dense_only", 10, 1.0, 0.0),
        ("fusion", 40, 0.4, 0.6),
        ("two_stage", 100, 0.4, 0.6),
    ],
)
def test_a_strategy_changes_how_much_is_searched(strategy, top_k, dense, lexical):
    own = plan_settings(QueryPlan("q", strategy=strategy), SETTINGS)
    assert (own.top_k, own.dense_weight, own.lexical_weight) == (top_k, dense, lexical)


def test_two_stages_look_at_150_candidates_at_most_and_never_at_fewer_than_usual():
    for usual, candidates in ((10, 50), (60, 150), (200, 200)):
        settings = SETTINGS.model_copy(update={"top_k": usual})
        assert plan_settings(QueryPlan("q", strategy="two_stage"), settings).top_k == candidates


def test_meaning_alone_needs_a_fusion_that_reads_weights():
    for fusion, expected in (("append", "minmax"), ("rrf", "minmax"), ("weighted_rrf", "weighted_rrf")):
        settings = SETTINGS.model_copy(update={"fusion": fusion})
        assert plan_settings(QueryPlan("q", strategy="dense_only"), settings).fusion == expected


def test_what_a_query_counts_follows_from_its_role_unless_it_says_so():
    queries = (
        PlannedQuery("a", "question"),
        PlannedQuery("b"),
        PlannedQuery("c", weight=0.8),
        PlannedQuery("d", "hyde"),
    )
    prepared = prepare(QueryPlan("q", queries), SETTINGS, 1)
    assert [prepared.weight(query) for query, _ in prepared.requests] == [1.0, 0.3, 0.8, 0.3]


def test_the_results_that_count_per_channel_are_limited(library):
    query = PlannedQuery("cats sleep", "question")
    result = retrieve(library, query, channel_top_k={"lexical": 1}, weights={"dense": 0.0})
    assert [match.node_id for match in result.matches] == ["cats:sec2:p1:s1", "cats:sec2:p1"]
    assert len(retrieve(library, query, weights={"dense": 0.0}).matches) > 2


def test_the_same_text_may_search_other_channels_in_another_role(library):
    result = retrieve(
        library, PlannedQuery("kittens milk", "question", ("lexical",)), PlannedQuery("kittens milk", "hyde")
    )
    first, second = result.trace["channels"]
    assert ("lexical" in first, "dense" in first) == (True, False)
    assert ("lexical" in second, "dense" in second) == (False, True)


def test_queries_joined_by_rank_forget_their_scores(library):
    queries = (PlannedQuery("kittens drink milk", "question", weight=1.0), PlannedQuery("shoes", weight=1.0))
    result = retrieve(library, *queries, merge="rrf")
    # Two rankings with nothing in common but their heads: 1 / (60 + 1) each, at least.
    assert result.matches[0].score == pytest.approx(result.matches[1].score, rel=0.1)
    assert {match.document_id for match in result.matches[:4]} == {"cats", "dogs"}
    assert result.matches[0].score < 0.05


def test_other_plans_in_the_batch_change_nothing(library):
    retriever = Retriever(library, SETTINGS, word_vectors)
    plan = QueryPlan("q", (PlannedQuery("old cats", "question"),))
    wide = QueryPlan("w", (PlannedQuery("old cats", "question"),), strategy="fusion")
    [alone] = retriever.retrieve([plan])
    first, second = retriever.retrieve([plan, wide], depth=[1, 9])
    assert first == alone
    assert second.plan == wide


def test_the_background_stands_first_is_marked_and_names_no_snippet_twice(library):
    narrow = SETTINGS.model_copy(update={"top_k": 1})
    result = retrieve(
        library,
        PlannedQuery("kittens milk", "question"),
        PlannedQuery("puppies chew shoes", "step_back"),
        settings=narrow,
    )
    marked = [(snippet.node_id, snippet.background) for snippet in result.snippets]
    assert marked == [("dogs:sec1:p2", True), ("cats:sec1:p2", False)]
    assert result.matches[0].document_id == "cats"
    assert not [match for match in result.matches if match.node_id == "dogs:sec1:p2:s1" and match.score > 0.9]
    same = retrieve(library, PlannedQuery("kittens milk", "question"), PlannedQuery("kitten milk", "step_back"))
    assert len({snippet.node_id for snippet in same.snippets}) == len(same.snippets)


def test_the_background_is_three_snippets_at_most(tmp_path):
    many = {f"d{n}": [[[f"Cat {n} sleeps."]]] for n in range(9)} | {"milk": [[["Kittens drink milk."]]]}
    narrow = SETTINGS.model_copy(update={"top_k": 1})
    result = retrieve(
        small_snapshot(tmp_path, many),
        PlannedQuery("kittens milk", "question"),
        PlannedQuery("cats sleep", "step_back"),
        settings=narrow.model_copy(update={"top_k": 8}),
    )
    assert sum(snippet.background for snippet in result.snippets) <= 3


def test_a_hierarchical_context_holds_three_paragraphs_of_ten_documents(tmp_path):
    tree = {
        f"d{n:02}": [[["Cats sleep.", "Old cats."], ["Cats purr."], ["Cats drink."], ["Cats bark."]]] for n in range(12)
    }
    snapshot = small_snapshot(tmp_path, tree)
    rows = list(range(snapshot.searched))
    kept = by_document(snapshot, [(row, 1.0 - row / 1000) for row in rows])
    ids = snapshot.column("node_id", snapshot.search_rows[[row for row, _ in kept]])
    paragraphs = {":".join(node_id.split(":")[:3]) for node_id in ids}
    assert len({node_id.split(":")[0] for node_id in ids}) == 10
    assert len(paragraphs) == 30
    assert [row for row, _ in kept] == sorted(row for row, _ in kept)
    assert by_document(snapshot, []) == []


def failing(message):
    def channel(search):
        raise OSError(message)

    return channel


def test_a_failing_channel_is_named_and_leaves_the_others(library, monkeypatch):
    monkeypatch.setitem(CHANNELS._kinds, "dense", replace(CHANNELS.get("dense"), search=failing("the file is gone")))
    result = retrieve(library, PlannedQuery("kittens milk", "question"))
    assert result.trace["failed_channels"] == {"dense": "OSError: the file is gone"}
    assert result.matches[0].document_id == "cats"
    assert "dense" not in result.trace["channels"][0]


def test_a_late_channel_is_named_and_leaves_the_others(library, monkeypatch):
    import threading

    gate = threading.Event()
    monkeypatch.setitem(
        CHANNELS._kinds, "lexical", replace(CHANNELS.get("lexical"), search=lambda search: gate.wait(20))
    )
    quick = SETTINGS.model_copy(update={"channel_timeout_s": 0.2})
    result = retrieve(library, PlannedQuery("kittens milk", "question"), settings=quick)
    gate.set()
    assert result.trace["failed_channels"] == {"lexical": "it took longer than 0.2 s"}
    assert result.matches[0].document_id == "cats"


def test_no_channel_at_all_is_an_error_and_not_an_empty_answer(library, monkeypatch):
    for name in ("dense", "lexical"):
        monkeypatch.setitem(CHANNELS._kinds, name, replace(CHANNELS.get(name), search=failing(f"no {name}")))
    with pytest.raises(
        RetrievalError, match=r"dense: OSError: no dense; lexical: OSError: no lexical.*channel_timeout_s"
    ):
        retrieve(library, PlannedQuery("kittens milk", "question"))


def test_a_stage_with_a_failed_channel_is_not_final(library, monkeypatch):
    import pyarrow as pa

    from kohaku_lib.retrieval import retrieve_contexts
    from kohaku_lib.retrieval.planning.plan_rows import as_plan, plan_to_row
    from kohaku_lib.tables import QUERY_PLANS

    monkeypatch.setitem(CHANNELS._kinds, "dense", replace(CHANNELS.get("dense"), search=failing("the file is gone")))
    rows = [{"id": "q1", "plan": plan_to_row(as_plan(("q1", ["milk"]))), "planner": "rule.v1"}]
    retriever = Retriever(library, SETTINGS, word_vectors)
    _, report = retrieve_contexts(pa.Table.from_pylist(rows, schema=QUERY_PLANS), retriever)
    assert report.problems == ("the channel 'dense' contributed nothing: OSError: the file is gone",)
    assert report.incomplete == "1 of 1 contexts lack the channels ['dense']; the next refresh searches again"


def test_the_trace_gives_the_rank_of_each_of_the_best_nodes_in_every_channel(library):
    result = retrieve(library, PlannedQuery("kittens drink milk", "question"), PlannedQuery("leather"))
    best = result.trace["matches"][0]
    assert best["node_id"] == result.matches[0].node_id == "cats:sec1:p2:s1"
    assert best["score"] == result.matches[0].score
    assert best["ranks"][0] == {"dense": 1, "lexical": 1}
    assert best["ranks"][1].get("lexical") is None  # it has neither word
    assert [(channel["role"], channel["weight"]) for channel in result.trace["channels"]] == [
        ("question", 1.0),
        ("planned", 0.3),
    ]


def test_the_number_of_explained_nodes_is_the_callers(library):
    [result] = Retriever(library, SETTINGS, word_vectors, explained=3).retrieve([("q", ["cats"])])
    assert len(result.trace["matches"]) == 3


def test_the_route_is_in_the_trace_only_where_there_is_one(library):
    query = PlannedQuery("cats", "question")
    assert "routing" not in retrieve(library, query).trace
    routing = retrieve(library, query, strategy="fusion", intent="LIST", complexity=4, signals=("long",)).trace[
        "routing"
    ]
    assert (routing["strategy"], routing["intent"], routing["top_k"]) == ("fusion", "LIST", 40)


def test_every_step_is_timed_and_no_time_enters_the_table(library):
    result = retrieve(library, PlannedQuery("cats", "question"))
    assert set(result.timings_ms) == {"prepare", "embed", "dense", "lexical", "rank", "pack"}
    assert all(ms >= 0 for ms in result.timings_ms.values())
    assert retrieve(library, PlannedQuery("cats", "question")).trace == result.trace
    assert len(WORDS) == library.meta["dim"]
