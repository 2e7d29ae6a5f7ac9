"""Refining a ranking over a real index: what is rescored, dropped, reordered and told, and what stays as it was."""

import json
from dataclasses import replace

import pyarrow as pa
import pytest
from fake_time import FakeTime
from index_material import nodes_table, small_snapshot, word_vectors

from kohaku_lib.errors import ModelError
from kohaku_lib.retrieval import RefineDependencies, Retriever, results_from_table, results_to_table, retrieve_contexts
from kohaku_lib.retrieval.contexts import refinement_problems
from kohaku_lib.retrieval.planning.plan_rows import as_plan, plan_to_row
from kohaku_lib.retrieval.rerank.served import ServedReranker
from kohaku_lib.settings import RerankSettings, RetrievalSettings
from kohaku_lib.tables import QUERY_PLANS
from kohaku_lib.testing.openai_server import OpenAIServer

TREE = {
    "cats": [
        [["Cats sleep for 15 hours.", "A cat purrs at 25 hertz."], ["Kittens drink milk."]],
        [["Old cats sleep more."]],
    ],
    "dogs": [[["Dogs bark.", "A dog sleeps for 12 hours."], ["Puppies chew shoes.", "Shoes are leather."]]],
    "copy": [[["Kittens drink milk."], ["Dogs bark at cats."]]],
    "list": [[["Cats sleep. 2019. Journal of cats."]]],
}
QUERY = "cats sleep"


class Scripted:
    """A reranker that gives the scores of a table by the beginning of a text, 0.01 to others."""

    name = "scripted"

    def __init__(self, score_by_start, fails=False):
        self.score_by_start, self.fails, self.asked = score_by_start, fails, []

    def scores(self, query, texts, question_id):
        self.asked.append((query, list(texts), question_id))
        if self.fails:
            msg = "the scripted reranker fails"
            raise ModelError(msg)
        return [
            next((score for start, score in self.score_by_start.items() if text.startswith(start)), 0.01)
            for text in texts
        ]


@pytest.fixture(scope="module")
def shelf(tmp_path_factory):
    nodes = nodes_table(TREE)
    types = ["reference" if name.startswith("list:") else "body" for name in nodes.column("node_id").to_pylist()]
    at = nodes.schema.get_field_index("content_type")
    nodes = nodes.set_column(at, nodes.schema.field(at), pa.array(types))
    return small_snapshot(tmp_path_factory.mktemp("shelf"), TREE, nodes=nodes)


def request(snapshot, dependencies=None, query=QUERY, depth=1, **settings):
    found = Retriever(
        snapshot,
        RetrievalSettings(**{"merge_duplicates": False} | settings),
        word_vectors,
        refine_dependencies=dependencies,
    )
    return found.retrieve([("q1", [query])], depth=depth)[0]


def refined(snapshot, *rerankers, chat=None, query=QUERY, depth=1, conformal=None, retrieval=None, **settings):
    dependencies = RefineDependencies(RerankSettings(**settings), rerankers, chat, conformal or {})
    return request(snapshot, dependencies, query, depth, **(retrieval or {}))


def starts(result):
    return [snippet.text[:12] for snippet in result.snippets]


def why(result):
    return {row["node_id"]: row["why"] for row in result.trace["dropped"]}


def told(result):
    return result.trace["refinement"]


def test_without_settings_nothing_changes_and_nothing_is_told(shelf):
    plain, same = request(shelf), request(shelf, RefineDependencies())
    assert (plain.matches, plain.snippets) == (same.matches, same.snippets)
    assert "refinement" not in same.trace


def test_snippets_stand_by_their_rerank_scores_and_matches_follow(shelf):
    before = request(shelf)
    reranker = Scripted({"Old cats": 0.9, "Dogs bark.": 0.8, "Cats sleep for": 0.3})
    result = refined(shelf, reranker)
    assert starts(result)[:3] == ["Old cats sle", "Dogs bark. A", "Cats sleep f"]
    assert [snippet.score for snippet in result.snippets][:3] == [0.9, 0.8, 0.3]
    assert [snippet.rank for snippet in result.snippets] == list(range(1, len(result.snippets) + 1))
    assert [match.document_id for match in result.matches][:3] == ["cats", "cats", "dogs"]
    assert sorted(match.node_id for match in result.matches) == sorted(match.node_id for match in before.matches)
    scores = [match.score for match in result.matches]
    assert scores == sorted(scores, reverse=True)
    assert scores[0] == 0.9


def test_the_parents_text_is_scored_as_the_prompt_would_hold_it(shelf):
    reranker = Scripted({})
    refined(shelf, reranker)
    [(query, texts, question_id)] = reranker.asked
    assert (query, question_id) == (QUERY, "q1")
    assert texts == [snippet.text for snippet in request(shelf).snippets]
    assert "Cats sleep for 15 hours. A cat purrs at 25 hertz." in texts


def test_the_trace_holds_the_scores_before_and_after(shelf):
    before = {snippet.node_id: snippet.score for snippet in request(shelf).snippets}
    reranked = told(refined(shelf, Scripted({"Old cats": 0.9})))["reranked"]
    assert (reranked["by"], reranked["failures"]) == ("scripted", [])
    assert {row["node_id"]: row["score_before"] for row in reranked["scores"]} == before
    by_id = {row["node_id"]: row["rerank_score"] for row in reranked["scores"]}
    assert by_id["cats:sec2:p1"] == 0.9
    json.dumps(reranked)


def test_only_the_first_are_scored_and_the_others_follow_in_their_order(shelf):
    plain = starts(request(shelf))
    last = plain[2]
    result = refined(shelf, Scripted({last: 0.9}), top_n=3)
    assert starts(result) == [last, *[start for start in plain if start != last]]
    assert len(told(result)["reranked"]["scores"]) == 3
    assert len(told(refined(shelf, Scripted({}), top_n=1, depth=2))["reranked"]["scores"]) == 2


def test_where_no_reranker_answers_the_order_stays_and_no_score_is_made_up(shelf):
    before = request(shelf)
    result = refined(shelf, Scripted({}, fails=True), safety_threshold=0.6, denoise_alpha=0.5, score_gap=True)
    assert starts(result) == starts(before)
    assert result.matches == before.matches
    reranked = told(result)["reranked"]
    assert (reranked["by"], reranked["failures"]) == (None, ["the scripted reranker fails"])
    assert {row["rerank_score"] for row in reranked["scores"]} == {None}
    assert "refused" not in told(result)


@pytest.mark.parametrize(("strategy", "read"), [("two_stage", 5), ("hybrid", 2)])
def test_in_two_stages_the_reranker_reads_more_than_the_context_holds(shelf, strategy, read):
    reranker = Scripted({"A dog": 0.9})
    dependencies = RefineDependencies(RerankSettings(top_n=5), (reranker,))
    settings = RetrievalSettings(top_k_final=2, merge_duplicates=False, kinds="sentence", parent_depth=0)
    plan = replace(as_plan(("q1", [QUERY])), strategy=strategy)
    [found] = Retriever(shelf, settings, word_vectors, refine_dependencies=dependencies).retrieve([plan])
    [(_, texts, _)] = reranker.asked
    assert (len(texts), len(found.snippets)) == (read, 2)
    assert (starts(found)[0] == "A dog sleeps") is (strategy == "two_stage")


def test_the_next_reranker_is_asked_where_the_first_fails(shelf):
    result = refined(shelf, Scripted({}, fails=True), Scripted({"Old cats": 0.9}))
    assert starts(result)[0] == "Old cats sle"
    assert told(result)["reranked"]["by"] == "scripted"
    assert told(result)["reranked"]["failures"] == ["the scripted reranker fails"]


def test_a_snippet_without_a_score_keeps_its_place(shelf):
    plain = starts(request(shelf))
    result = refined(shelf, Scripted({plain[0]: 0.1, plain[1]: None, plain[2]: 0.9}), top_n=3)
    assert starts(result)[:3] == [plain[2], plain[1], plain[0]]
    assert [snippet.score for snippet in result.snippets[:3]] == [0.9, pytest.approx(0.9), 0.1]


def test_a_context_without_a_good_score_is_refused_with_the_reason(shelf):
    result = refined(shelf, Scripted({"Old cats": 0.4}), safety_threshold=0.6)
    assert result.snippets == ()
    assert told(result)["refused"] == "the best rerank score is 0.400, below rerank.safety_threshold = 0.6"
    assert set(why(result).values()) == {"refused"}
    assert len(result.matches) == len(request(shelf).matches)
    good = refined(shelf, Scripted({"Old cats": 0.7}), safety_threshold=0.6)
    assert "refused" not in told(good)
    assert len(good.snippets) == len(request(shelf).snippets)


def test_nothing_found_is_refused_too(shelf):
    result = refined(shelf, Scripted({}), safety_threshold=0.6, query=" ")
    assert told(result)["refused"] == "nothing was found"


def test_noise_and_what_was_never_scored_leave_the_context(shelf):
    plain = starts(request(shelf))
    result = refined(shelf, Scripted({plain[0]: 0.4, plain[1]: 0.8, plain[2]: 0.39}), denoise_alpha=0.5, top_n=3)
    assert starts(result) == [plain[1], plain[0]]
    assert sorted(set(why(result).values())) == ["denoised", "not reranked"]
    dropped = [row for row in result.trace["dropped"] if row["why"] == "denoised"]
    assert dropped[0]["rerank_score"] == 0.39


def test_the_gap_behind_the_best_cuts_only_where_that_is_good(shelf):
    plain = starts(request(shelf))
    scores = {plain[0]: 0.8, plain[1]: 0.6, plain[2]: 0.59}
    assert starts(refined(shelf, Scripted(scores), score_gap=True, top_n=3)) == plain[:2]
    halved = {start: score / 2 for start, score in scores.items()}
    assert starts(refined(shelf, Scripted(halved), score_gap=True, top_n=3)) == plain[:3]


def test_the_conformal_threshold_belongs_to_the_reranker_that_answered(shelf, tmp_path):
    plain = starts(request(shelf))
    scores = {plain[0]: 0.8, plain[1]: 0.5, plain[2]: 0.4}
    options = {"top_n": 3, "conformal": tmp_path / "scores.json"}
    assert starts(refined(shelf, Scripted(scores), conformal={"scripted": 0.45}, **_without(options))) == plain[:2]
    other = refined(shelf, Scripted(scores), conformal={"another": 0.45}, **_without(options))
    assert starts(other) == plain
    none = refined(shelf, Scripted(scores), conformal={"scripted": 0.9}, **_without(options))
    assert starts(none) == plain[:1]
    assert told(none)["insufficient"] == "no snippet has a rerank score of 0.900; the best one is kept"


def _without(options):
    return {name: value for name, value in options.items() if name != "conformal"}


def test_a_reranker_that_was_not_calibrated_is_named_and_drops_nothing(shelf, tmp_path):
    dependencies = RefineDependencies(
        RerankSettings(conformal=tmp_path / "scores.json"), [Scripted({})], None, {"another": 0.9}
    )
    result = request(shelf, dependencies)
    assert told(result)["uncalibrated"] == "scripted"
    assert len(result.snippets) == len(request(shelf).snippets)


def test_a_snippet_that_another_document_repeats_is_dropped_and_named(shelf):
    plain = request(shelf, query="kittens milk")
    better, repeated = (snippet.node_id for snippet in plain.snippets[:2])
    assert {better, repeated} == {"cats:sec1:p2", "copy:sec1:p1"}
    result = refined(shelf, semantic_dedup=0.95, query="kittens milk")
    assert result.snippets[0].node_id == better
    assert result.snippets[0].also_in == (repeated.split(":")[0],)
    assert {snippet.also_in for snippet in result.snippets[1:]} == {()}
    assert results_from_table(results_to_table([result]))[0].snippets == result.snippets
    assert repeated not in {snippet.node_id for snippet in result.snippets}
    [row] = [row for row in result.trace["dropped"] if row["node_id"] == repeated]
    assert row == {"node_id": repeated, "why": "duplicate", "of": better, "similarity": 1.0, "by": "cosine"}
    assert [match.node_id for match in result.matches] == [match.node_id for match in plain.matches]


def test_duplicates_are_not_paid_for(shelf):
    reranker = Scripted({})
    refined(shelf, reranker, semantic_dedup=0.95, query="kittens milk")
    assert reranker.asked[0][1].count("Kittens drink milk.") == 1


def test_a_kind_of_content_is_lowered_unless_the_question_asks_for_it(shelf):
    plain = request(shelf)
    listed = next(snippet for snippet in plain.snippets if snippet.document_id == "list")
    result = refined(shelf, penalties={"reference": 0.5})
    lowered = next(snippet for snippet in result.snippets if snippet.document_id == "list")
    assert lowered.score == pytest.approx(listed.score / 2)
    assert lowered.rank > listed.rank
    row = next(row for row in told(result)["penalised"] if row["node_id"] == "list:sec1:p1")
    assert (row["content_type"], row["score"]) == ("reference", pytest.approx(row["score_before"] / 2))
    asked = refined(shelf, penalties={"reference": 0.5}, query="cats sleep citations")
    assert told(asked)["penalised"] == []


def test_quick_verification_drops_what_is_far_from_the_question(shelf):
    result = refined(shelf, verify="quick", verify_cosine=0.5)
    grades = {row["node_id"]: row["grade"] for row in told(result)["verified"]["grades"]}
    assert grades["cats:sec2:p1"] == pytest.approx(1.0)  # of cat and sleep, as the question
    assert grades["dogs:sec1:p2"] == pytest.approx(0.0)
    kept = {snippet.node_id for snippet in result.snippets}
    assert kept == {name for name, grade in grades.items() if grade >= 0.5}
    assert why(result)["dogs:sec1:p2"] == "not relevant"


def test_where_nothing_passes_the_best_is_kept_and_the_context_flagged(shelf):
    result = refined(shelf, verify="quick", verify_cosine=1.0, query="cats sleep milk")
    assert len(result.snippets) == 1
    assert told(result)["insufficient"] == "no snippet reaches the grade 1; the best one is kept"


def test_a_question_without_a_vector_is_not_verified_by_cosine(shelf):
    result = refined(shelf, verify="quick", verify_cosine=0.5, query="hertz")  # a word without a dimension
    assert len(result.snippets) == len(request(shelf, query="hertz").snippets) > 0
    assert "insufficient" not in told(result)


@pytest.mark.parametrize("level", ["standard", "thorough"])
def test_a_chat_model_grades_the_first_snippets_and_the_rest_goes(shelf, level):
    plain = starts(request(shelf))
    grades = {"relevance": [2, 9, 7], "grounding": [2, 9, 5], "missing": ["the year"]}
    result = refined(shelf, chat=lambda *asked: json.dumps(grades), verify=level, top_n=3)
    assert starts(result) == plain[1:3]
    assert sorted(set(why(result).values())) == ["not relevant", "not verified"]
    assert told(result)["verified"].get("missing") == (["the year"] if level == "thorough" else None)


def test_a_verifier_that_fails_passes_everything_through_and_is_named(shelf):
    def fails(*asked):
        msg = "the verifier is down"
        raise ModelError(msg)

    plain = starts(request(shelf))
    for chat, reason in (
        (fails, "the verifier is down"),
        (lambda *a: "no", "must grade 3"),
        (None, "needs a chat model"),
    ):
        result = refined(shelf, chat=chat, verify="standard", top_n=3)
        assert starts(result) == plain
        assert reason in told(result)["verified"]["failure"]


def test_novelty_orders_the_context_and_the_matches(shelf):
    plain = request(shelf, query="kittens milk")
    best, repeated = (snippet.node_id for snippet in plain.snippets[:2])
    result = refined(shelf, mmr=0.5, mmr_k=2, query="kittens milk")
    assert result.snippets[0].node_id == best
    assert result.snippets[1].node_id != repeated
    assert told(result)["mmr"][:2] == [snippet.node_id for snippet in result.snippets[:2]]
    scores = [match.score for match in result.matches]
    assert scores == sorted(scores, reverse=True)
    assert {match.node_id for match in result.matches} == {match.node_id for match in plain.matches}


@pytest.mark.parametrize("dedup", ["none", "node_id", "tree"])
@pytest.mark.parametrize("limit", ["paragraph", "section", "document"])
def test_every_way_of_growing_can_be_refined(shelf, dedup, limit):
    retrieval = {"snippet_dedup": dedup, "parent_limit": limit, "parent_depth": 3, "child_depth": 1}
    settings = {"semantic_dedup": 0.95, "mmr": 0.7, "verify": "quick", "denoise_alpha": 0.1}
    result = refined(shelf, Scripted({"Old": 0.9}), retrieval=retrieval, **settings)
    assert result.snippets
    assert sorted(snippet.rank for snippet in result.snippets) == [snippet.rank for snippet in result.snippets]
    assert len(result.matches) == len(request(shelf).matches)


def test_a_served_reranker_is_asked_about_several_questions_at_once(shelf):
    with OpenAIServer(delay_s=0.05, together=3) as server:
        settings = RerankSettings(kind="served", base_url=server.base_url, served_model="m", max_concurrent=3)
        dependencies = RefineDependencies(settings, [ServedReranker(settings, FakeTime().environment())])
        retriever = Retriever(shelf, RetrievalSettings(), word_vectors, refine_dependencies=dependencies)
        results = retriever.retrieve([(f"q{n}", [f"cats sleep {n}"]) for n in range(6)])
        assert (server.most_in_flight, len(server.billed)) == (3, 6)
    assert [result.id for result in results] == [f"q{n}" for n in range(6)]
    assert {told(result)["reranked"]["by"] for result in results} == {"served:m"}


def test_the_stage_lists_rerankers_that_failed_and_is_not_final(shelf):
    plans = [{"id": f"q{n}", "plan": plan_to_row(as_plan((f"q{n}", [QUERY]))), "planner": "rule.v1"} for n in range(2)]
    table = pa.Table.from_pylist(plans, schema=QUERY_PLANS)
    dependencies = RefineDependencies(RerankSettings(), [Scripted({}, fails=True)])
    contexts, report = retrieve_contexts(
        table, Retriever(shelf, RetrievalSettings(), word_vectors, refine_dependencies=dependencies)
    )
    assert contexts.num_rows == 2
    assert report.problems == ("2 questions were not reranked: the scripted reranker fails",)
    assert report.incomplete == "2 contexts were not refined as set; the next refresh tries again"
    fine = RefineDependencies(RerankSettings(), [Scripted({"Old": 0.9})])
    _, report = retrieve_contexts(table, Retriever(shelf, RetrievalSettings(), word_vectors, refine_dependencies=fine))
    assert (report.problems, report.incomplete) == ((), None)


def test_the_stage_reports_rerankers_that_replaced_others_and_verifiers_that_failed(shelf):
    def fails(*asked):
        msg = "the verifier is down"
        raise ModelError(msg)

    first, second = Scripted({}, fails=True), Scripted({"Old": 0.9})
    results = [
        refined(shelf, first, second),
        refined(shelf, first, second),
        refined(shelf, chat=fails, verify="standard"),
        refined(shelf, chat=lambda *asked: "no", verify="standard"),
        request(shelf, RefineDependencies(RerankSettings(conformal="scores.json"), [second])),
    ]
    problems, gap = refinement_problems(results)
    assert problems[:2] == [
        "2 questions were reranked by another way: scripted was used, because the scripted reranker fails",
        "1 questions were not verified: the verifier is down",
    ]
    assert "must grade" in problems[2]
    assert problems[3].startswith("1 questions were not filtered: rerank.conformal holds no scores of 'scripted'")
    assert gap == "1 contexts were not refined as set; the next refresh tries again"  # the verifier that was down
    assert refinement_problems([request(shelf)]) == ([], None)


def test_what_was_refined_survives_the_table(shelf):
    result = refined(shelf, Scripted({"Old": 0.9}), semantic_dedup=0.95, denoise_alpha=0.5)
    [row] = results_to_table([result]).to_pylist()
    assert json.loads(row["trace_json"])["refinement"] == told(result)


def test_a_rerank_score_may_stand_beside_that_of_the_ranking(shelf):
    before = request(shelf).snippets
    scripted = {snippet.text: place / 10 for place, snippet in enumerate(before)}  # two documents say the same
    half = refined(shelf, Scripted(scripted), weight=0.5)
    best = before[0].score
    expected = {one.node_id: 0.5 * one.score / best + 0.5 * scripted[one.text] for one in before}
    assert {row["node_id"]: row["score"] for row in told(half)["reranked"]["scores"]} == pytest.approx(expected)
    assert [snippet.node_id for snippet in half.snippets] == sorted(expected, key=lambda node: -expected[node])
    assert [snippet.score for snippet in half.snippets] == pytest.approx(sorted(expected.values(), reverse=True))


def test_a_rerank_score_of_no_weight_changes_no_order_and_one_of_full_weight_makes_it(shelf):
    before = [snippet.node_id for snippet in request(shelf).snippets]
    reranker = Scripted({"Old cats": 0.9, "Dogs bark.": 0.8})
    assert [snippet.node_id for snippet in refined(shelf, reranker, weight=0.0).snippets] == before
    assert starts(refined(shelf, reranker, weight=1.0)) == starts(refined(shelf, reranker))


def test_a_threshold_compares_the_rerank_score_alone_whatever_its_weight(shelf):
    result = refined(shelf, Scripted({"Cats sleep for": 0.9, "Old cats": 0.8}), weight=0.1, denoise_alpha=0.5)
    assert sorted(starts(result)) == ["Cats sleep f", "Old cats sle"]
    assert set(why(result).values()) == {"denoised"}


def test_top_k_cuts_after_all_steps_and_grows_with_depth(shelf):
    by_milk = Scripted({"Kittens": 0.9})
    every = refined(shelf, by_milk)
    cut = refined(shelf, by_milk, top_k=2)
    assert [snippet.node_id for snippet in cut.snippets] == [snippet.node_id for snippet in every.snippets[:2]]
    assert cut.snippets[0].text.startswith("Kittens")
    assert set(why(cut).values()) == {"rank"}
    assert len(refined(shelf, by_milk, top_k=2, depth=2).snippets) == 4
    assert len(refined(shelf, top_k=1).snippets) == 1
